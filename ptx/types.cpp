#include "ptx/types.h"
