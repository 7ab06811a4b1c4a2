// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "storm.h"

#define IB "/sys/class/infiniband"
#define GIDS 12			/* looked at: the first ones */
#define PLACES 64

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

struct rng rng_of(uint64_t seed, uint64_t stream)
{
	return (struct rng){ mix(seed + 1) ^ mix(~stream) };
}

uint32_t draw(struct rng *rng, uint32_t below)
{
	rng->state += 0x9e3779b97f4a7c15ULL;
	return below ? (mix(rng->state) >> 32) % below : 0;
}

bool chance(struct rng *rng, uint32_t percent)
{
	return draw(rng, 100) < percent;
}

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

double patience(void)
{
	const char *text = getenv("PATIENCE");
	double times = text ? atof(text) : 1;

	return times < 1 ? 1 : times;
}

void pause_ms(uint32_t ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* The first line of a file; empty if there is none. */
static void read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "r");

	line[0] = 0;
	if (!file)
		return;
	if (!fgets(line, size, file))
		line[0] = 0;
	line[strcspn(line, "\n")] = 0;
	fclose(file);
}

static bool read_gid(const char *device, int index, union ibv_gid *gid)
{
	char path[256], line[64];
	unsigned int a, b;

	snprintf(path, sizeof(path), IB "/%.64s/ports/1/gids/%d", device, index);
	read_line(path, line, sizeof(line));
	if (sscanf(line, "0000:0000:0000:0000:0000:ffff:%4x:%4x", &a, &b) != 2)
		return false;
	snprintf(path, sizeof(path), IB "/%.64s/ports/1/gid_attrs/types/%d",
		 device, index);
	read_line(path, line, sizeof(line));
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = gid->raw[11] = 0xff;
	gid->raw[12] = a >> 8;
	gid->raw[13] = a;
	gid->raw[14] = b >> 8;
	gid->raw[15] = b;
	return !strcmp(line, "RoCE v2");
}

int find_places(struct place *places, int max)
{
	DIR *dir = opendir(IB);
	struct dirent *entry;
	int n = 0, i;

	while (dir && n < max && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		for (i = 0; i < GIDS && n < max; i++) {
			if (!read_gid(entry->d_name, i, &places[n].gid))
				continue;
			snprintf(places[n].device, sizeof(places[n].device),
				 "%.63s", entry->d_name);
			places[n++].gid_index = i;
		}
	}
	if (dir)
		closedir(dir);
	return n;
}

bool find_place(const char *device, struct place *place)
{
	struct place places[PLACES];
	int n = find_places(places, PLACES), i;

	for (i = 0; i < n; i++)
		if (!device || !strcmp(places[i].device, device)) {
			*place = places[i];
			return true;
		}
	return false;
}

bool neighbours(const struct place *a, const struct place *b)
{
	return !memcmp(a->gid.raw, b->gid.raw, 15);
}

void show_task(int pid)
{
	static const char *const files[] = { "status", "wchan", "stack" };
	char path[64], line[256];
	FILE *file;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, files[i]);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file))
			if (i || !strncmp(line, "Name", 4) ||
			    !strncmp(line, "State", 5))
				printf("#   %s\n", strtok(line, "\n"));
		if (file)
			fclose(file);
	}
	fflush(stdout);
}
