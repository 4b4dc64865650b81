#ifndef CGPIO_H
#define CGPIO_H
#endif
