/* Keeps, beside each file that is synced, a copy of what was synced: all that a power cut leaves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void keep(int fd) {
    char link[64], path[4096], copy[4200], block[65536];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 4) return;
    path[length] = 0;
    if (strcmp(path + length - 4, "-wal")) return;
    snprintf(copy, sizeof copy, "%s.synced.new", path);
    int out = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0) return;
    off_t at = 0;
    ssize_t got;
    while ((got = pread(fd, block, sizeof block, at)) > 0) {
        if (write(out, block, got) != got) break;
        at += got;
    }
    close(out);
    snprintf(block, sizeof block, "%s.synced", path);
    rename(copy, block);
}

int fsync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    int result = real(fd);
    if (!result) keep(fd);
    return result;
}

int fdatasync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    int result = real(fd);
    if (!result) keep(fd);
    return result;
}
