/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The guard under libraries of several names. The program runs itself with
 * each of them: the dynamic linker has to have loaded it.
 *
 * BUILT_FOR and LIBRARY, a libibverbs of nothing, come from the Makefile.
 */
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../abi_guard.h"
#include "tap.h"

#define NAME(abi, version) "libibverbs.so.1." #abi "." version
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static char folder[] = "/tmp/rox-abi-guard.XXXXXX";

/* A copy and not a link, since the guard asks for the real path. */
static void put_library(const char *name)
{
	char command[4 * PATH_MAX];

	snprintf(command, sizeof(command),
		 "cp '%s' '%s/%s' && ln -sfn '%s' '%s/libibverbs.so.1'",
		 LIBRARY, folder, name, name, folder);
	EXPECT(!system(command));
}

/* What the guard says, as the exit status of a child. */
static bool accepted(const char *name)
{
	int status = -1;
	pid_t child;

	put_library(name);
	child = fork();
	if (!child) {
		setenv("LD_LIBRARY_PATH", folder, 1);
		execl("/proc/self/exe", "abi_guard_test", "ask", NULL);
		_exit(100);
	}
	waitpid(child, &status, 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void guard__right_version(void)
{
	EXPECT(accepted(NAME(14, TEXT(BUILT_FOR) ".0")));
	EXPECT(accepted(NAME(14, TEXT(BUILT_FOR) ".7")));
}

static void guard__wrong_version(void)
{
	EXPECT(!accepted(NAME(14, "43.0")));
	EXPECT(!accepted(NAME(18, "1" TEXT(BUILT_FOR) ".0")));
}

static void guard__no_version_in_the_name(void)
{
	EXPECT(accepted("libibverbs.so.mine"));
}

static const struct tap_case cases[] = {
	TAP_CASE(guard__right_version),
	TAP_CASE(guard__wrong_version),
	TAP_CASE(guard__no_version_in_the_name),
};

int main(int argc, char **argv)
{
	char command[PATH_MAX];
	int status;

	if (argc > 1)
		return !rox_abi_guard_ok();
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	status = tap_run(cases, sizeof(cases) / sizeof(cases[0]));
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command) || status;
}
