// SPDX-License-Identifier: MIT
/* <linux/kfd_ioctl.h> includes this for its types; Debian has it in a package of its own. */
#include <linux/types.h>
