#!/bin/bash
# SPDX-License-Identifier: MIT
# The table that a module of the CPU needs, for the kernels of one source: an entry
# that unpacks the arguments of each, and what its parameters are. Every type is of
# <stdint.h>, or a pointer.
#
#	table.sh kernels.c > table.c
set -eu

echo '#include "abi/cpu.h"'
echo "#include <mori/shmem.h>"
# One line a kernel: name(parameters)
tr '\n\t' '  ' <"$1" | grep -o 'MORI_KERNEL void [a-z0-9_]*([^)]*)' | sed 's/MORI_KERNEL void //' | awk '
function kind(type) {
	if (type ~ /\*/)
		return "MORI_SHMEM_PARAM_POINTER"
	return type ~ /float|double/ ? "MORI_SHMEM_PARAM_FLOAT" : "MORI_SHMEM_PARAM_INT"
}
{
	name = $0; sub(/\(.*/, "", name)
	params = $0; sub(/^[^(]*\(/, "", params); sub(/\)$/, "", params)
	n = params == "void" ? 0 : split(params, param, / *, */)
	call = infos = ""
	for (i = 1; i <= n; i++) {
		type = param[i]
		sub(/[A-Za-z0-9_]*$/, "", type)
		call = call (i > 1 ? ", " : "") "*(" type "*)args[" i - 1 "]"
		infos = infos "{ " kind(type) ", sizeof(" type ") }, "
	}
	printf "void %s(%s);\n", name, params
	printf "static void %s_entry(void **args)\n{\n\t(void)args;\n\t%s(%s);\n}\n", name, name, call
	if (n)
		printf "static const struct cpu_param_info %s_params[] = { %s};\n", name, infos
	table = table "\t{ \"" name "\", " name "_entry, " n ", " (n ? name "_params" : "0") " },\n"
}
END {
	print "extern const struct cpu_kernel mori_kernels[];"
	print "const struct cpu_kernel mori_kernels[] = {\n" table "\t{ 0, 0, 0, 0 },\n};"
}'
# The linker makes these two only where something refers to them.
cat <<'END'
extern char __start_mori_shared[] __attribute__((weak)), __stop_mori_shared[] __attribute__((weak));
extern char *const mori_shared_bounds[];
char *const mori_shared_bounds[] = { __start_mori_shared, __stop_mori_shared };
END
