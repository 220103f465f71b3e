#include "base/process.h"

struct process process;
