// SPDX-License-Identifier: MIT
/* The table of NVIDIA GPUs. */
#include "accel/gpu.h"

static const struct accel_far cuda_far = {
	.reserve = gpu_reserve,
	.unreserve = gpu_unreserve,
	.part_make = gpu_part_make,
	.part_take = gpu_part_take,
	.part_drop = gpu_part_drop,
	.alloc = gpu_alloc,
	.free = gpu_free,
	.handle_get = gpu_handle_get,
	.handle_open = gpu_handle_open,
	.handle_close = gpu_handle_close,
	.holds = gpu_holds,
	.pin = gpu_pin,
	.unpin = gpu_unpin,
	.dmabuf = gpu_dmabuf,
	.show = gpu_show,
	.pci = gpu_pci,
	.copy = gpu_copy,
	.amo = gpu_amo,
	.stream_check = gpu_stream_check,
	.stream_copy = gpu_stream_copy,
	.stream_task = gpu_stream_task,
};

const struct accel_ops accel_cuda = {
	.name = "cuda",
	.open = gpu_open,
	.close = gpu_close,
	.device = gpu_device,
	.current = gpu_current,
	.facts = gpu_facts,
	.describe = gpu_describe,
	.mem_zero = gpu_zero,
	.module_load = gpu_module_load,
	.module_borrow = gpu_module_borrow,
	.module_unload = gpu_module_unload,
	.module_look = gpu_module_look,
	.module_link = gpu_module_link,
	.launch = gpu_launch,
	.in_kernel = gpu_in_kernel,
	.module_kernel = gpu_module_kernel,
	.kernel_params = gpu_kernel_params,
	.far = &cuda_far,
};
