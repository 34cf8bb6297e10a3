// SPDX-License-Identifier: MIT
/*
 * `mori completion`: scripts that let a shell complete the command, written from the tables
 * of commands and options that the command itself works with.
 */
#include <stdio.h>
#include <string.h>

#include "mori/cmd.h"

/* One may follow, but need not. */
static int may_follow(const struct cmd_option *o)
{
	return o->arg && *o->arg == '[';
}

static int is_list(const struct cmd_option *o)
{
	return o->arg && strstr(o->arg, ",...") != NULL;
}

/* Both forms of an option, a blank behind each. */
static void put_forms(const struct cmd_option *o)
{
	if (cmd_has_letter(o))
		printf("-%c ", o->code);
	if (o->name)
		printf("--%s ", o->name);
}

/* The words of a list once each, with blanks between. */
static void put_words(const char *words)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		int seen = 0;

		for (const char *w = words; w < at; w += strspn(w, " ")) {
			seen |= strcspn(w, " ") == len && !strncmp(w, at, len);
			w += strcspn(w, " ");
		}
		if (!seen)
			printf("%s%.*s", at == words ? "" : " ", (int)len, at);
		at += len;
	}
}

/* A case of _mori_command: options that can be offered, those with a value, what else stands there. */
static void bash_command(const struct command *c)
{
	printf("\t%s)\n\t\toptions='", c->name);
	for (const struct cmd_option *o = c->options; o->code; o++) {
		if (o->help)
			put_forms(o);
	}
	printf("'\n\t\tvalued=' ");
	for (const struct cmd_option *o = c->options; o->code; o++) {
		if (o->arg && !may_follow(o))
			put_forms(o);
	}
	printf("'\n\t\toperand='%s'\n\t\t;;\n", c->operand);
}

/* Cases of _mori_values; what may follow a letter alone is one word with it. */
static void bash_values(const struct command *c)
{
	for (const struct cmd_option *o = c->options; o->code; o++) {
		if (!o->arg || (may_follow(o) && !o->name))
			continue;
		printf("\t");
		if (cmd_has_letter(o))
			printf("'%s -%c'%s", c->name, o->code, o->name ? " | " : "");
		if (o->name)
			printf("'%s --%s'", c->name, o->name);
		printf(") values='");
		put_words(o->values ? o->values : "");
		printf("'%s%s ;;\n", is_list(o) ? " list=1" : "",
		       may_follow(o) ? " optional=1" : "");
	}
}

static const char bash_head[] =
	"# Completion of the mori command for bash; `mori completion bash` wrote it.\n"
	"\n"
	"# _mori_command: what is known of $command.\n"
	"_mori_command()\n"
	"{\n"
	"\tcase $command in\n";

static const char bash_middle[] =
	"\t*) return 1 ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# _mori_values 'COMMAND OPTION': what may follow the option, if something may.\n"
	"_mori_values()\n"
	"{\n"
	"\tcase $1 in\n";

static const char bash_offer[] =
	"\t*) return 1 ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# _mori_offer VALUES: words, or a kind of files, that $cur may become.\n"
	"_mori_offer()\n"
	"{\n"
	"\tlocal file front=$prefix\n"
	"\tif [ -n \"$list\" ] && [ \"${cur%,*}\" != \"$cur\" ]; then\n"
	"\t\tfront=$prefix${cur%,*},\n"
	"\t\tcur=${cur##*,}\n"
	"\tfi\n"
	"\tcase $1 in\n"
	"\t@*) compopt -o filenames 2>/dev/null ;;\n"
	"\tesac\n"
	"\tcase $1 in\n"
	"\t@program)\n"
	"\t\twhile IFS= read -r file; do\n"
	"\t\t\tCOMPREPLY+=(\"$file\")\n"
	"\t\tdone < <([ \"${cur#*/}\" != \"$cur\" ] || compgen -c -- \"$cur\"; compgen -f -- "
	"\"$cur\")\n"
	"\t\t;;\n"
	"\t@kernel)\n"
	"\t\twhile IFS= read -r file; do\n"
	"\t\t\tcase $file in\n"
	"\t\t\t*.c | *.ll | *.mlir | *.bc) COMPREPLY+=(\"$file\") ;;\n"
	"\t\t\t*) [ ! -d \"$file\" ] || COMPREPLY+=(\"$file\") ;;\n"
	"\t\t\tesac\n"
	"\t\tdone < <(compgen -f -- \"$cur\")\n"
	"\t\t;;\n"
	"\t@file) mapfile -t COMPREPLY < <(compgen -P \"$front\" -f -- \"$cur\") ;;\n"
	"\t@dir) mapfile -t COMPREPLY < <(compgen -P \"$front\" -d -- \"$cur\") ;;\n"
	"\t*) mapfile -t COMPREPLY < <(compgen -P \"$front\" -W \"$1\" -- \"$cur\") ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"_mori()\n"
	"{\n"
	"\tlocal IFS=$' \\t\\n' cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - "
	"1]}\n"
	"\tlocal command=${COMP_WORDS[1]-} options='' valued='' operand='' values=''\n"
	"\tlocal i given='' prefix='' list='' optional=''\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)); then\n";

static const char bash_tail[] =
	"\t\treturn\n"
	"\tfi\n"
	"\t_mori_command || return\n"
	"\t# --name=value comes in three words, or in one where = does not part them.\n"
	"\tif [ \"$cur\" = = ]; then\n"
	"\t\tcur=''\n"
	"\telif [ \"$option\" = = ]; then\n"
	"\t\toption=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\telse\n"
	"\t\tcase $cur in --*=*) option=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=} ;; esac\n"
	"\tfi\n"
	"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--)\n"
	"\t\t\tgiven=--\n"
	"\t\t\t((++i < COMP_CWORD)) && given=1\n"
	"\t\t\tbreak\n"
	"\t\t\t;;\n"
	"\t\t=) ((i++)) ;;\n"
	"\t\t-*)\n"
	"\t\t\tcase $valued in\n"
	"\t\t\t*\" ${COMP_WORDS[i]} \"*) [ \"${COMP_WORDS[i + 1]}\" = = ] || ((i++)) ;;\n"
	"\t\t\tesac\n"
	"\t\t\t;;\n"
	"\t\t*)\n"
	"\t\t\tgiven=1\n"
	"\t\t\tbreak\n"
	"\t\t\t;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\t# What follows a program is its own.\n"
	"\tif [ \"$operand\" = @program ] && [ -n \"$given\" ]; then\n"
	"\t\t[ \"$given\" = -- ] && _mori_offer @program || _mori_offer @file\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tif _mori_values \"$command $option\" && { [ -z \"$optional\" ] || [ \"${cur#-}\" = "
	"\"$cur\" ]; }; "
	"then\n"
	"\t\t[ -z \"$values\" ] || _mori_offer \"$values\"\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tlist=''\n"
	"\tif [ -z \"$operand\" ] || [ \"${cur#-}\" != \"$cur\" ]; then\n"
	"\t\t_mori_offer \"$options\"\n"
	"\telse\n"
	"\t\t_mori_offer \"$operand\"\n"
	"\tfi\n"
	"}\n"
	"complete -F _mori mori\n";

static void put_bash(void)
{
	fputs(bash_head, stdout);
	for (size_t i = 0; commands[i]; i++)
		bash_command(commands[i]);
	fputs(bash_middle, stdout);
	for (size_t i = 0; commands[i]; i++)
		bash_values(commands[i]);
	fputs(bash_offer, stdout);
	printf("\t\t_mori_offer '");
	for (size_t i = 0; commands[i]; i++)
		printf("%s ", commands[i]->name);
	printf("-h --help -V --version'\n");
	fputs(bash_tail, stdout);
}

/* The first line of a text, for a place between single quotes where brackets and colons end it. */
static void zsh_text(const char *text)
{
	for (; *text && *text != '\n'; text++) {
		if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else if (*text == '\'')
			printf("'\\''");
		else
			putchar(*text);
	}
}

static void zsh_values(const char *values, int list)
{
	if (!values) {
		printf(" ");
	} else if (!strcmp(values, CMD_DIR)) {
		printf("_files -/");
	} else if (*values == '@') {
		printf("_files");
	} else {
		printf("%s", list ? "_sequence compadd - " : "(");
		put_words(values);
		printf("%s", list ? "" : ")");
	}
}

/* "*" because a later one counts: none excludes itself or another. */
static void zsh_option(const struct cmd_option *o, const char *form)
{
	printf(" \\\n\t\t\t'*%s[", form);
	zsh_text(o->help);
	printf("]");
	if (o->arg) {
		printf("%s:", may_follow(o) ? ":" : "");
		zsh_text(o->arg);
		printf(":");
		zsh_values(o->values, is_list(o));
	}
	printf("'");
}

static void zsh_command(const struct command *c)
{
	char form[64];

	printf("\t\t%s)\n\t\t\t_arguments -s -S", c->name);
	for (const struct cmd_option *o = c->options; o->code; o++) {
		/* A value is one word with a letter or the next one, behind "=" of a name or next. */
		if (o->help && cmd_has_letter(o)) {
			snprintf(form, sizeof(form), "-%c%s", o->code,
				 !o->arg       ? "" :
				 may_follow(o) ? "-" :
						 "+");
			zsh_option(o, form);
		}
		if (o->help && o->name) {
			snprintf(form, sizeof(form), "--%s%s", o->name, o->arg ? "=" : "");
			zsh_option(o, form);
		}
	}
	if (!strcmp(c->operand, CMD_PROGRAM))
		printf(" \\\n\t\t\t'(-):program:_command_names -e' "
		       "\\\n\t\t\t'*::argument:_normal'");
	else if (!strcmp(c->operand, CMD_KERNEL))
		printf(" \\\n\t\t\t':kernel:_files -g \"*.(c|ll|mlir|bc)\"'");
	else if (*c->operand)
		printf(" \\\n\t\t\t':%s:(%s)'", c->name, c->operand);
	printf("\n\t\t\t;;\n");
}

static void put_zsh(void)
{
	printf("#compdef mori\n"
	       "# Completion of the mori command for zsh; `mori completion zsh` wrote it.\n"
	       "\n"
	       "_mori()\n"
	       "{\n"
	       "\tlocal curcontext=$curcontext state line\n"
	       "\tlocal -a commands\n"
	       "\ttypeset -A opt_args\n"
	       "\tcommands=(\n");
	for (size_t i = 0; commands[i]; i++) {
		printf("\t\t'%s:", commands[i]->name);
		zsh_text(commands[i]->help);
		printf("'\n");
	}
	printf("\t)\n"
	       "\t_arguments -C '(- *)'{-h,--help}'[the commands]' \\\n"
	       "\t\t'(- *)'{-V,--version}'[the version]' \\\n"
	       "\t\t'1:command:->command' '*::argument:->argument'\n"
	       "\tcase $state in\n"
	       "\tcommand) _describe command commands ;;\n"
	       "\targument)\n"
	       "\t\tcase $words[1] in\n");
	for (size_t i = 0; commands[i]; i++)
		zsh_command(commands[i]);
	printf("\t\tesac\n"
	       "\t\t;;\n"
	       "\tesac\n"
	       "}\n"
	       "\n"
	       "if [ \"$funcstack[1]\" = _mori ]; then\n"
	       "\t_mori \"$@\"\n"
	       "else\n"
	       "\tcompdef _mori mori\n"
	       "fi\n");
}

static const struct cmd_option options[] = {
	{ "help", 'h', NULL, NULL, "this text" },
	{ 0 },
};

static int cmd_completion(int argc, char **argv)
{
	struct cmd_getopt g;
	int c;

	cmd_getopt(options, ":", &g);
	opterr = 0;
	while ((c = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (c == 'h')
			return cmd_help(&mori_completion);
		return cmd_bad_option("completion", c, argv, g.longs);
	}
	if (optind + 1 == argc && !strcmp(argv[optind], "bash")) {
		put_bash();
	} else if (optind + 1 == argc && !strcmp(argv[optind], "zsh")) {
		put_zsh();
	} else {
		cmd_error("completion", "for which shell? bash or zsh");
		return CMD_USAGE;
	}
	return fflush(stdout) ? 1 : 0;
}

const struct command mori_completion = {
	.name = "completion",
	.help = "print a script that completes this command in a shell",
	.run = cmd_completion,
	.usage = "bash | zsh\n"
		 "\n"
		 "Prints a script that completes commands, options, their values and files.\n"
		 "It is installed with the command; without that:\n"
		 "\n"
		 "  source <(mori completion bash)    in bash, or in ~/.bashrc\n"
		 "  source <(mori completion zsh)     in zsh, or in ~/.zshrc after compinit\n",
	.options = options,
	.operand = "bash zsh",
};
