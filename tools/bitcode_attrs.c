// SPDX-License-Identifier: MIT
/*
 * bitcode_attrs IN OUT: finishes the optimised bitcode of the device library. It removes what would
 * keep the final link of a kernel from inlining (processor, features, rules about library calls),
 * lets that link inline what was deferred, and states what C cannot: that the pointer to the state
 * always leads to one.
 *
 * The prototypes of LLVM's C API are declared here: a distribution packs its headers with half a
 * gigabyte of others, while every installation of opt has the library. No number of an enumeration
 * is used, as only names are sure to keep their meaning.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct LLVMOpaqueContext *attrs_context;
typedef struct LLVMOpaqueModule *attrs_module;
typedef struct LLVMOpaqueMemoryBuffer *attrs_buffer;
typedef struct LLVMOpaqueType *attrs_type;
typedef struct LLVMOpaqueValue *attrs_value;
typedef struct LLVMOpaqueBasicBlock *attrs_block;
typedef struct LLVMOpaqueMetadata *attrs_metadata;
typedef struct LLVMOpaqueAttributeRef *attrs_attribute;

attrs_context LLVMContextCreate(void);
int LLVMCreateMemoryBufferWithContentsOfFile(const char *path, attrs_buffer *out, char **error);
int LLVMParseBitcodeInContext2(attrs_context, attrs_buffer, attrs_module *out);
int LLVMWriteBitcodeToFile(attrs_module, const char *path);
const char *LLVMGetTarget(attrs_module);
attrs_value LLVMGetNamedGlobal(attrs_module, const char *name);
attrs_value LLVMGetFirstFunction(attrs_module);
attrs_value LLVMGetNextFunction(attrs_value);
attrs_block LLVMGetFirstBasicBlock(attrs_value);
attrs_block LLVMGetNextBasicBlock(attrs_block);
attrs_value LLVMGetFirstInstruction(attrs_block);
attrs_value LLVMGetNextInstruction(attrs_value);
attrs_value LLVMIsACallInst(attrs_value);
attrs_value LLVMIsALoadInst(attrs_value);
attrs_value LLVMIsAConstantExpr(attrs_value);
attrs_value LLVMGetOperand(attrs_value, unsigned at);
attrs_value LLVMGetInitializer(attrs_value);
attrs_value LLVMGetAggregateElement(attrs_value, unsigned at);
unsigned long long LLVMConstIntGetZExtValue(attrs_value);
attrs_type LLVMTypeOf(attrs_value);
attrs_type LLVMInt64TypeInContext(attrs_context);
attrs_value LLVMConstInt(attrs_type, unsigned long long, int sign);
const char *LLVMGetSection(attrs_value);
void LLVMSetSection(attrs_value, const char *name);
unsigned LLVMGetMDKindIDInContext(attrs_context, const char *name, unsigned len);
attrs_metadata LLVMValueAsMetadata(attrs_value);
attrs_metadata LLVMMDNodeInContext2(attrs_context, attrs_metadata *, size_t n);
attrs_value LLVMMetadataAsValue(attrs_context, attrs_metadata);
void LLVMSetMetadata(attrs_value, unsigned kind, attrs_value node);
unsigned LLVMGetEnumAttributeKindForName(const char *name, size_t len);
attrs_attribute LLVMCreateEnumAttribute(attrs_context, unsigned kind, uint64_t value);
int LLVMIsStringAttribute(attrs_attribute);
const char *LLVMGetStringAttributeKind(attrs_attribute, unsigned *len);
const char *LLVMGetStringAttributeValue(attrs_attribute, unsigned *len);
void LLVMAddAttributeAtIndex(attrs_value, unsigned at, attrs_attribute);
unsigned LLVMGetAttributeCountAtIndex(attrs_value, unsigned at);
void LLVMGetAttributesAtIndex(attrs_value, unsigned at, attrs_attribute *out);
void LLVMRemoveEnumAttributeAtIndex(attrs_value, unsigned at, unsigned kind);
void LLVMRemoveStringAttributeAtIndex(attrs_value, unsigned at, const char *, unsigned len);
unsigned LLVMGetCallSiteAttributeCount(attrs_value, unsigned at);
void LLVMGetCallSiteAttributes(attrs_value, unsigned at, attrs_attribute *out);
void LLVMRemoveCallSiteEnumAttribute(attrs_value, unsigned at, unsigned kind);
void LLVMRemoveCallSiteStringAttribute(attrs_value, unsigned at, const char *, unsigned len);

#define ATTRS_OF_FUNCTION                                                                          \
	UINT32_MAX /* the index of what is neither of a parameter nor the result */

/* The attributes of a function and those of a call have functions of their own. */
struct attrs_api {
	unsigned (*count)(attrs_value, unsigned at);
	void (*list)(attrs_value, unsigned at, attrs_attribute *out);
	void (*drop)(attrs_value, unsigned at, unsigned kind);
	void (*drop_string)(attrs_value, unsigned at, const char *, unsigned len);
};
static const struct attrs_api attrs_function = { LLVMGetAttributeCountAtIndex,
						 LLVMGetAttributesAtIndex,
						 LLVMRemoveEnumAttributeAtIndex,
						 LLVMRemoveStringAttributeAtIndex };
static const struct attrs_api attrs_call = { LLVMGetCallSiteAttributeCount,
					     LLVMGetCallSiteAttributes,
					     LLVMRemoveCallSiteEnumAttribute,
					     LLVMRemoveCallSiteStringAttribute };

static void attrs_die(const char *what, const char *why)
{
	fprintf(stderr, "bitcode_attrs: %s%s%s\n", what, why ? ": " : "", why ? why : "");
	exit(1);
}

static unsigned attrs_kind(const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	if (!kind)
		attrs_die("this LLVM knows no attribute of that name", name);
	return kind;
}

/*
 * Strings with a value hold the compiler's options, such as the processor; those without hold what
 * it found out, except the rule about library calls.
 */
static void attrs_drop_strings(const struct attrs_api *api, attrs_value of)
{
	unsigned n = api->count(of, ATTRS_OF_FUNCTION), len, value_len;
	attrs_attribute *all = calloc(n + 1, sizeof(attrs_attribute));

	if (!all)
		attrs_die("no memory", NULL);
	api->list(of, ATTRS_OF_FUNCTION, all);
	for (unsigned i = 0; i < n; i++) {
		const char *name;

		if (!LLVMIsStringAttribute(all[i]))
			continue;
		name = LLVMGetStringAttributeKind(all[i], &len);
		LLVMGetStringAttributeValue(all[i], &value_len);
		if (value_len || !strcmp(name, "no-builtins"))
			api->drop_string(of, ATTRS_OF_FUNCTION, name, len);
	}
	free(all);
}

/*
 * A deferred function (DEV_DEFER, target/base.h) was optimised alone; from here on it is inlined.
 */
static void attrs_do_function(attrs_context context, attrs_value fn)
{
	const char *section = LLVMGetSection(fn);

	attrs_drop_strings(&attrs_function, fn);
	attrs_function.drop(fn, ATTRS_OF_FUNCTION, attrs_kind("nobuiltin"));
	if (!section)
		return;
	if (strcmp(section, "mori.defer") != 0)
		attrs_die("nothing is known of a function in the section", section);
	LLVMSetSection(fn, "");
	attrs_function.drop(fn, ATTRS_OF_FUNCTION, attrs_kind("noinline"));
	LLVMAddAttributeAtIndex(fn, ATTRS_OF_FUNCTION,
				LLVMCreateEnumAttribute(context, attrs_kind("alwaysinline"), 0));
}

static void attrs_do_call(attrs_value call)
{
	attrs_drop_strings(&attrs_call, call);
	attrs_call.drop(call, ATTRS_OF_FUNCTION, attrs_kind("nobuiltin"));
}

static void attrs_set_metadata(attrs_context context, attrs_value load, const char *name,
			       unsigned long long number)
{
	attrs_metadata value =
		LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), number, 0));

	LLVMSetMetadata(
		load, LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name)),
		LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &value, !!number)));
}

/*
 * Whether @load reads the pointer to the state, which is the only one in @link (struct dev_link).
 * It never changes while a kernel runs, and on NVIDIA it always leads to a state, of the size that
 * stands beside it: the compiler must know that to read the state once and not in every loop.
 */
static int attrs_do_load(attrs_context context, attrs_value link, attrs_value load)
{
	attrs_value from = LLVMGetOperand(load, 0), fields = LLVMGetInitializer(link);

	if (LLVMIsAConstantExpr(from))
		from = LLVMGetOperand(from, 0);
	if (from != link || LLVMTypeOf(load) != LLVMTypeOf(LLVMGetAggregateElement(fields, 2)))
		return 0;
	attrs_set_metadata(context, load, "invariant.load", 0);
	attrs_set_metadata(context, load, "dereferenceable",
			   LLVMConstIntGetZExtValue(LLVMGetAggregateElement(fields, 0)));
	attrs_set_metadata(context, load, "align", 8);
	return 1;
}

static void attrs_do(attrs_context context, attrs_module module)
{
	attrs_value link = LLVMGetNamedGlobal(module, "globalGpuStates");
	int nvptx = !strncmp(LLVMGetTarget(module), "nvptx", 5), loads = 0;

	if (!link)
		attrs_die("there is no globalGpuStates", NULL);
	for (attrs_value fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn)) {
		attrs_do_function(context, fn);
		for (attrs_block b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
			for (attrs_value i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				if (LLVMIsACallInst(i))
					attrs_do_call(i);
				else if (nvptx && LLVMIsALoadInst(i))
					loads += attrs_do_load(context, link, i);
			}
	}
	if (nvptx && !loads)
		attrs_die("no load of the pointer to the state was found", NULL);
}

int main(int argc, char **argv)
{
	attrs_context context = LLVMContextCreate();
	attrs_buffer buffer;
	attrs_module module;
	char *error;

	if (argc != 3)
		attrs_die("usage: bitcode_attrs IN OUT", NULL);
	if (LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &buffer, &error))
		attrs_die(argv[1], error);
	if (LLVMParseBitcodeInContext2(context, buffer, &module))
		attrs_die(argv[1], "no bitcode that this LLVM can read");
	attrs_do(context, module);
	if (LLVMWriteBitcodeToFile(module, argv[2]))
		attrs_die(argv[2], "cannot be written");
	return 0;
}
