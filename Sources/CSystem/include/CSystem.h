#ifndef CSystem_H
#define CSystem_H
#endif
