// SPDX-License-Identifier: MIT
/*
 * Modules on AMD's GPUs. What HIP does not tell of a module, or only some of its versions, is read
 * from the notes of the code object when the library loads it. Of modules that others have loaded
 * nothing is known.
 */
#include "accel/hip_parts.h"

#include "emu/code.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define HIP_INVALID	  1
#define HIP_OUT_OF_MEMORY 2
#define HIP_INVALID_IMAGE 200
#define HIP_BUNDLE	  "__CLANG_OFFLOAD_BUNDLE__" /* several code objects, for HIP to choose from */

/* A module that the library has loaded. */
struct hip_module {
	struct hip_module *next;
	gpu_module module;
	void *image;	       /* HIP may read it as long as it is loaded */
	struct emu_code *code; /* its notes; NULL: a bundle */
	gpu_function *functions;
};

static struct {
	int (*load)(gpu_module *out, const void *image);
	int (*unload)(gpu_module module);
	int (*function)(gpu_function *out, gpu_module module, const char *name);
	pthread_mutex_t lock; /* of first */
	struct hip_module *first;
} hip_modules = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void hip_module_free(struct hip_module *m)
{
	if (m->code)
		emu_code_close(m->code);
	free(m->functions);
	free(m->image);
	free(m);
}

/* The image and what its notes say of its kernels; 0, or HIP's code. */
static int hip_module_read(struct hip_module *m, const void *image, size_t len, char *said,
			   size_t said_len)
{
	m->image = malloc(len);
	if (!m->image)
		return HIP_OUT_OF_MEMORY;
	memcpy(m->image, image, len);
	if (len >= strlen(HIP_BUNDLE) && !memcmp(image, HIP_BUNDLE, strlen(HIP_BUNDLE)))
		return 0;
	m->code = emu_code_read(m->image, len, said, said_len);
	if (!m->code)
		return HIP_INVALID_IMAGE;
	m->functions = calloc(m->code->n_kernels + 1, sizeof(gpu_function));
	return m->functions ? 0 : HIP_OUT_OF_MEMORY;
}

/* With its kernels, all of which are then on the device. */
static int hip_module_load(gpu_module *out, const void *image, size_t len, char *said,
			   size_t said_len)
{
	struct hip_module *m = calloc(1, sizeof(*m));
	int code;

	said[0] = '\0';
	if (!m)
		return HIP_OUT_OF_MEMORY;
	code = hip_module_read(m, image, len, said, said_len);
	if (!code)
		code = hip_modules.load(&m->module, m->image);
	if (code) {
		hip_module_free(m);
		return code;
	}
	for (unsigned i = 0; m->code && i < m->code->n_kernels && !code; i++)
		code = hip_modules.function(&m->functions[i], m->module, m->code->kernels[i].name);
	if (code) {
		hip_modules.unload(m->module);
		hip_module_free(m);
		return code;
	}
	*out = m->module;
	pthread_mutex_lock(&hip_modules.lock);
	m->next = hip_modules.first;
	hip_modules.first = m;
	pthread_mutex_unlock(&hip_modules.lock);
	return 0;
}

static int hip_module_unload(gpu_module module)
{
	struct hip_module *m = NULL;
	int code = hip_modules.unload(module);

	pthread_mutex_lock(&hip_modules.lock);
	for (struct hip_module **p = &hip_modules.first; *p; p = &(*p)->next) {
		if ((*p)->module == module) {
			m = *p;
			*p = m->next;
			break;
		}
	}
	pthread_mutex_unlock(&hip_modules.lock);
	if (m)
		hip_module_free(m);
	return code;
}

/* NULL: not one of ours, or a bundle. It lives until it is unloaded. */
static const struct hip_module *hip_module_find(gpu_module module)
{
	const struct hip_module *m;

	pthread_mutex_lock(&hip_modules.lock);
	for (m = hip_modules.first; m && m->module != module; m = m->next)
		;
	pthread_mutex_unlock(&hip_modules.lock);
	return m && m->code ? m : NULL;
}

static const struct emu_kernel *hip_kernel_find(gpu_function f)
{
	const struct emu_kernel *k = NULL;

	pthread_mutex_lock(&hip_modules.lock);
	for (struct hip_module *m = hip_modules.first; m && !k; m = m->next) {
		for (unsigned i = 0; m->code && i < m->code->n_kernels; i++)
			if (m->functions[i] == f)
				k = &m->code->kernels[i];
	}
	pthread_mutex_unlock(&hip_modules.lock);
	return k;
}

static int hip_module_count(unsigned *out, gpu_module module)
{
	const struct hip_module *m = hip_module_find(module);

	if (m)
		*out = m->code->n_kernels;
	return m ? 0 : HIP_INVALID;
}

static int hip_module_functions(gpu_function *out, unsigned n, gpu_module module)
{
	const struct hip_module *m = hip_module_find(module);

	for (unsigned i = 0; m && i < n && i < m->code->n_kernels; i++)
		out[i] = m->functions[i];
	return m ? 0 : HIP_INVALID;
}

static int hip_function_name(const char **out, gpu_function f)
{
	const struct emu_kernel *k = hip_kernel_find(f);

	if (k)
		*out = k->name;
	return k ? 0 : HIP_INVALID;
}

static int hip_function_parameter(gpu_function f, size_t i, size_t *off, size_t *len)
{
	const struct emu_kernel *k = hip_kernel_find(f);

	for (unsigned a = 0; k && a < k->n_args; a++) {
		if (k->args[a].hidden != EMU_ARG_VALUE || i--)
			continue;
		*off = k->args[a].offset;
		*len = k->args[a].size;
		return 0;
	}
	return HIP_INVALID;
}

void hip_adapt_modules(void *library, struct gpu_calls *calls)
{
	void *load = dlsym(library, "hipModuleLoadData");
	void *unload = dlsym(library, "hipModuleUnload");
	void *function = dlsym(library, "hipModuleGetFunction");

	memcpy(&hip_modules.load, &load, sizeof(load));
	memcpy(&hip_modules.unload, &unload, sizeof(unload));
	memcpy(&hip_modules.function, &function, sizeof(function));
	calls->module_load = load && function ? hip_module_load : NULL;
	calls->module_unload = unload ? hip_module_unload : NULL;
	calls->module_count = hip_module_count;
	calls->module_functions = hip_module_functions;
	calls->function_name = hip_function_name;
	calls->function_parameter = hip_function_parameter;
}
