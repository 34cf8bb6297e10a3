// SPDX-License-Identifier: MIT
/* Queue pairs of ConnectX by its own commands; as the calls of struct verbs_vendor. */
#ifndef MORI_NET_VERBS_DEVX_H
#define MORI_NET_VERBS_DEVX_H

#include "net/verbs_lib.h"

int verbs_devx_make(struct verbs_qp *q);
void verbs_devx_unmake(struct verbs_qp *q);
int verbs_devx_modify(struct verbs_qp *q, const struct ibv_qp_attr *attr);

#endif
