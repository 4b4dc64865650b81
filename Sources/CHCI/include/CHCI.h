#ifndef CHCI_H
#define CHCI_H
#endif
