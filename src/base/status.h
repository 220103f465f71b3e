#ifndef DMLOP_BASE_STATUS_H
#define DMLOP_BASE_STATUS_H

/* The result of a function that can fail, and the exit status of the program (dmlop(1)). */
enum status {
    ST_OK = 0,
    ST_INVALID = 1, /* a descriptor or model breaks a rule; tensors differ */
    ST_USAGE = 2,   /* the command line is wrong */
    ST_INPUT = 3,   /* an input cannot be read, understood, or fit its descriptor */
    ST_SYSTEM = 4,  /* an output cannot be written; memory or another resource ran out */
    ST_UNSUPPORTED = 5, /* a model without errors has parts that dmlop cannot compute */
};

#endif
