/*
** A disk that loses what was not synced and fails when told to, as a layer over SQLite's own file access.
**
** It becomes SQLite's default VFS and touches only files in folders that were put on it. Of such a file it keeps what the
** platter would hold: the content as of the last sync, and the writes since. A power loss replaces every file of the folder
** by what the platter holds plus as many of those writes as its mode lets through; connections from before it are dead.
** Real syncs are left out: what is durable is decided here. Reads, locks and shared memory are the real ones.
**
** SQL functions on every connection that loads it (folders are absolute, errors are SQL errors):
**   disk_open(folder)                                        puts a folder on the disk; its files must be closed
**   disk_close(folder)                                       takes it off
**   disk_crash(folder, mode, seed)                           the power goes now
**   disk_fail(folder, kind, name, at, every, p, error, mode, seed)  arms a fault, see `Fault`; kind 0 disarms
**   disk_counts(folder)                                      'writes,syncs,failures,lost'
*/

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

enum { KIND_NONE, KIND_WRITE, KIND_SYNC, KIND_ANY };
enum { ERROR_EIO = 1, ERROR_ENOSPC, ERROR_POWER_LOSS };
/* What becomes of writes that were not synced. */
enum { MODE_NONE_LOST, MODE_ALL_LOST, MODE_SOME_LOST, MODE_TORN };

typedef struct { unsigned char *data; int64_t size, capacity; } Bytes;

/* A write (data at offset) or, with data NULL, a truncation to `offset`. */
typedef struct Op { struct Op *next; int64_t offset; int64_t size; unsigned char *data; } Op;

typedef struct File {
  struct File *next;
  struct Folder *folder;
  char *path;
  Bytes platter;      /* content as of the last sync */
  Op *first, *last;   /* since then */
  int exists;         /* by name, for a process */
  int entry_durable;  /* that it exists is synced in the folder */
  int has_ghost;      /* a file of this name was removed, and that is not synced in the folder yet */
  Bytes ghost;
} File;

typedef struct {
  int kind;           /* KIND_NONE: no fault */
  char name[64];      /* by its path in the folder, with its -wal and -journal; empty: all */
  int64_t at;         /* operations until it happens; 0: by chance alone */
  int stays;          /* from then on at each operation */
  double chance;
  int error, mode;
  uint64_t seed;
} Fault;

typedef struct Folder {
  struct Folder *next;
  char *path;
  size_t length;
  File *files;
  int is_open;        /* still on the disk */
  int handles;
  int generation;     /* power losses so far; handles of an earlier one are dead */
  int dead;           /* handles of earlier generations that are not closed yet */
  Fault fault;
  uint64_t chances;   /* state of the random numbers of the fault */
  int64_t writes, syncs, failures, lost;
} Folder;

typedef struct {
  sqlite3_file base;
  File *file;         /* NULL: not ours, passed through */
  int generation;
  int syncs_folder;   /* the first sync of a new journal syncs the folder too, as SQLite's unix VFS does */
  sqlite3_file *real;
} Handle;

static sqlite3_vfs *real_vfs;
static sqlite3_vfs our_vfs;
static Folder *folders;
static sqlite3_mutex *mutex;

/* splitmix64 */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int below(uint64_t *state, int count) { return (int)(next_random(state) % (uint64_t)count); }

/* A disk that cannot do its work must not look like one whose owner lost data. */
static void *must(void *memory) {
  if (memory == NULL) abort();
  return memory;
}

/* ---- what the platter holds ---- */

static void resize(Bytes *bytes, int64_t size) {
  if (size > bytes->capacity) {
    bytes->capacity = size > 2 * bytes->capacity ? size : 2 * bytes->capacity;
    bytes->data = must(realloc(bytes->data, (size_t)bytes->capacity));
  }
  if (size > bytes->size) memset(bytes->data + bytes->size, 0, (size_t)(size - bytes->size));
  bytes->size = size;
}

static void clear(Bytes *bytes) {
  free(bytes->data);
  memset(bytes, 0, sizeof *bytes);
}

static void put(Bytes *bytes, const unsigned char *data, int64_t offset, int64_t size) {
  if (size == 0) return;
  if (offset + size > bytes->size) resize(bytes, offset + size);
  memcpy(bytes->data + offset, data, (size_t)size);
}

static void apply(Bytes *bytes, const Op *op) {
  if (op->data == NULL) resize(bytes, op->offset);
  else put(bytes, op->data, op->offset, op->size);
}

/* Sectors of a write that the power loss let through: a beginning of it, or any of them. */
static void apply_torn(Bytes *bytes, const Op *op, uint64_t *random) {
  int64_t sector = below(random, 2) ? 512 : 4096;
  int any = below(random, 2);
  int64_t sectors = (op->offset + op->size - 1) / sector - op->offset / sector + 1;
  int64_t whole = below(random, (int)sectors + 1);
  for (int64_t from = op->offset, n = 0; from < op->offset + op->size; n++) {
    int64_t to = (from / sector + 1) * sector;
    if (to > op->offset + op->size) to = op->offset + op->size;
    if (any ? below(random, 2) : n < whole) put(bytes, op->data + (from - op->offset), from, to - from);
    from = to;
  }
}

static void forget_ops(File *file) {
  while (file->first != NULL) {
    Op *op = file->first;
    file->first = op->next;
    free(op->data);
    free(op);
  }
  file->last = NULL;
}

static void remember(File *file, const void *data, int64_t offset, int64_t size) {
  Op *op = must(calloc(1, sizeof *op));
  op->offset = offset;
  op->size = size;
  if (data != NULL) op->data = memcpy(must(malloc((size_t)size + 1)), data, (size_t)size);
  if (file->last == NULL) file->first = op;
  else file->last->next = op;
  file->last = op;
}

static void sync_folder(Folder *folder) {
  for (File *file = folder->files; file != NULL; file = file->next) {
    file->entry_durable = file->exists;
    file->has_ghost = 0;
    clear(&file->ghost);
  }
}

static void sync_file(File *file) {
  for (Op *op = file->first; op != NULL; op = op->next) apply(&file->platter, op);
  forget_ops(file);
}

/* ---- the power loss ---- */

static int keeps(int mode, uint64_t *random) {
  return mode == MODE_NONE_LOST || (mode != MODE_ALL_LOST && below(random, 2));
}

static void lose_writes(File *file, int mode, uint64_t *random) {
  for (Op *op = file->first; op != NULL; op = op->next) {
    if (keeps(mode, random)) {
      apply(&file->platter, op);
      continue;
    }
    file->folder->lost++;
    if (mode == MODE_TORN && op->data != NULL && op->size > 0) apply_torn(&file->platter, op, random);
  }
  forget_ops(file);
}

/* Whether the name stands, and for which file: the one written last, the removed one, or none. */
static void lose_name(File *file, int mode, uint64_t *random) {
  if (file->entry_durable == file->exists && !file->has_ghost) return;
  if (keeps(mode, random)) return;
  file->folder->lost++;
  clear(&file->platter);
  file->exists = file->has_ghost;
  file->platter = file->ghost;
  memset(&file->ghost, 0, sizeof file->ghost);
}

/* A file of its own: connections from before the power loss go on with the old one, which has no name any more. */
static void write_image(const File *file) {
  char *temporary = must(sqlite3_mprintf("%s.image", file->path));
  int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int64_t done = 0;
  while (fd >= 0 && done < file->platter.size) {
    ssize_t n = write(fd, file->platter.data + done, (size_t)(file->platter.size - done));
    if (n <= 0) break;
    done += n;
  }
  if (fd < 0 || close(fd) != 0 || done < file->platter.size || rename(temporary, file->path) != 0) {
    perror(temporary);
    abort();
  }
  sqlite3_free(temporary);
}

static void crash(Folder *folder, int mode, uint64_t seed) {
  folder->generation++;
  folder->dead = folder->handles;
  folder->fault.kind = KIND_NONE;
  for (File *file = folder->files; file != NULL; file = file->next) {
    lose_writes(file, mode, &seed);
    lose_name(file, mode, &seed);
    if (file->exists) write_image(file);
    else unlink(file->path);
    file->entry_durable = file->exists;
    file->has_ghost = 0;
    clear(&file->ghost);
    char *shared = must(sqlite3_mprintf("%s-shm", file->path));
    unlink(shared);
    sqlite3_free(shared);
  }
}

/* ---- faults ---- */

static int concerns(const Fault *fault, const File *file, int kind) {
  if (!(fault->kind & kind)) return 0;
  size_t length = strlen(fault->name);
  if (length == 0) return 1;
  const char *name = file->path + file->folder->length + 1;
  return strncmp(name, fault->name, length) == 0 && (name[length] == 0 || name[length] == '-');
}

/* The error that this operation ends with, 0 for none. */
static int fault_of(File *file, int kind) {
  Folder *folder = file->folder;
  Fault *fault = &folder->fault;
  if (kind == KIND_WRITE) folder->writes++;
  else folder->syncs++;
  if (!concerns(fault, file, kind)) return 0;
  int now = fault->at > 0 && --fault->at == 0;
  double drawn = (double)(next_random(&folder->chances) >> 11) / 9007199254740992.0;
  if (!now && drawn >= fault->chance) return 0;
  int error = fault->error;
  folder->failures++;
  if (now && fault->stays) fault->at = 1;
  else if (now && fault->chance == 0) fault->kind = KIND_NONE;
  if (error == ERROR_POWER_LOSS) crash(folder, fault->mode, fault->seed);
  return error;
}

/* ---- the methods of an open file ---- */

#define REAL(file) (((Handle *)(file))->real)

static int is_dead(const Handle *handle) {
  return handle->file != NULL && handle->generation != handle->file->folder->generation;
}

static void free_folder(Folder *folder) {
  for (Folder **at = &folders; *at != NULL; at = &(*at)->next) {
    if (*at != folder) continue;
    *at = folder->next;
    break;
  }
  while (folder->files != NULL) {
    File *file = folder->files;
    folder->files = file->next;
    forget_ops(file);
    clear(&file->platter);
    clear(&file->ghost);
    free(file->path);
    free(file);
  }
  free(folder->path);
  free(folder);
}

static int x_close(sqlite3_file *base) {
  Handle *handle = (Handle *)base;
  int rc = handle->real->pMethods->xClose(handle->real);
  if (handle->file == NULL) return rc;
  sqlite3_mutex_enter(mutex);
  Folder *folder = handle->file->folder;
  if (is_dead(handle)) folder->dead--;
  if (--folder->handles == 0 && !folder->is_open) free_folder(folder);
  handle->file = NULL;
  sqlite3_mutex_leave(mutex);
  return rc;
}

static int write_to(Handle *handle, const void *data, int size, sqlite3_int64 offset) {
  if (size == 0) return SQLITE_OK;
  int rc = handle->real->pMethods->xWrite(handle->real, data, size, offset);
  if (rc == SQLITE_OK) remember(handle->file, data, offset, size);
  return rc;
}

static int x_write(sqlite3_file *base, const void *data, int size, sqlite3_int64 offset) {
  Handle *handle = (Handle *)base;
  if (handle->file == NULL) return REAL(base)->pMethods->xWrite(REAL(base), data, size, offset);
  sqlite3_mutex_enter(mutex);
  int rc = SQLITE_IOERR_WRITE;
  if (!is_dead(handle)) {
    int error = fault_of(handle->file, KIND_WRITE);
    if (error == 0) rc = write_to(handle, data, size, offset);
    else if (error == ERROR_POWER_LOSS) rc = SQLITE_IOERR_WRITE;
    else {
      /* As a disk does it: the error comes in the middle. */
      write_to(handle, data, size / 2 / 512 * 512, offset);
      rc = error == ERROR_ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    }
  }
  sqlite3_mutex_leave(mutex);
  return rc;
}

static int x_truncate(sqlite3_file *base, sqlite3_int64 size) {
  Handle *handle = (Handle *)base;
  if (handle->file == NULL) return REAL(base)->pMethods->xTruncate(REAL(base), size);
  sqlite3_mutex_enter(mutex);
  int rc = SQLITE_IOERR_TRUNCATE;
  if (!is_dead(handle) && fault_of(handle->file, KIND_WRITE) == 0) {
    rc = handle->real->pMethods->xTruncate(handle->real, size);
    if (rc == SQLITE_OK) remember(handle->file, NULL, size, 0);
  }
  sqlite3_mutex_leave(mutex);
  return rc;
}

static int x_sync(sqlite3_file *base, int flags) {
  Handle *handle = (Handle *)base;
  if (handle->file == NULL) return REAL(base)->pMethods->xSync(REAL(base), flags);
  sqlite3_mutex_enter(mutex);
  int rc = SQLITE_IOERR_FSYNC;
  if (!is_dead(handle)) {
    if (fault_of(handle->file, KIND_SYNC) == 0) {
      rc = SQLITE_OK;
      sync_file(handle->file);
      if (handle->syncs_folder) sync_folder(handle->file->folder);
      handle->syncs_folder = 0;
    } else {
      /* The kernel calls the pages clean now: a later sync succeeds and does not write them. */
      forget_ops(handle->file);
    }
  }
  sqlite3_mutex_leave(mutex);
  return rc;
}

static int x_lock(sqlite3_file *base, int level) {
  /* A dead connection must not take its last checkpoint for one that succeeded, and remove files by their names. */
  if (is_dead((Handle *)base)) return SQLITE_IOERR_LOCK;
  return REAL(base)->pMethods->xLock(REAL(base), level);
}

/* Methods that are those of the real file. */
#define PASS(name, method, parameters, arguments) \
  static int name parameters { return REAL(base)->pMethods->method arguments; }
PASS(x_read, xRead, (sqlite3_file *base, void *to, int size, sqlite3_int64 offset), (REAL(base), to, size, offset))
PASS(x_file_size, xFileSize, (sqlite3_file *base, sqlite3_int64 *size), (REAL(base), size))
PASS(x_unlock, xUnlock, (sqlite3_file *base, int level), (REAL(base), level))
PASS(x_check_reserved_lock, xCheckReservedLock, (sqlite3_file *base, int *out), (REAL(base), out))
PASS(x_file_control, xFileControl, (sqlite3_file *base, int op, void *arg), (REAL(base), op, arg))
PASS(x_sector_size, xSectorSize, (sqlite3_file *base), (REAL(base)))
PASS(x_device_characteristics, xDeviceCharacteristics, (sqlite3_file *base), (REAL(base)))
PASS(x_shm_map, xShmMap, (sqlite3_file *base, int page, int size, int extend, void volatile **memory),
     (REAL(base), page, size, extend, memory))
PASS(x_shm_lock, xShmLock, (sqlite3_file *base, int offset, int n, int flags), (REAL(base), offset, n, flags))

static void x_shm_barrier(sqlite3_file *base) { REAL(base)->pMethods->xShmBarrier(REAL(base)); }

static int x_shm_unmap(sqlite3_file *base, int remove) {
  return REAL(base)->pMethods->xShmUnmap(REAL(base), remove && !is_dead((Handle *)base));
}

/* No memory mapping: every read and write goes through here. */
static int x_fetch(sqlite3_file *base, sqlite3_int64 offset, int size, void **out) {
  (void)base, (void)offset, (void)size;
  *out = NULL;
  return SQLITE_OK;
}

static int x_unfetch(sqlite3_file *base, sqlite3_int64 offset, void *page) {
  (void)base, (void)offset, (void)page;
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    3, x_close, x_read, x_write, x_truncate, x_sync, x_file_size, x_lock, x_unlock, x_check_reserved_lock,
    x_file_control, x_sector_size, x_device_characteristics, x_shm_map, x_shm_lock, x_shm_barrier, x_shm_unmap,
    x_fetch, x_unfetch};

/* ---- the VFS ---- */

static Folder *folder_of(const char *path) {
  for (Folder *folder = folders; folder != NULL; folder = folder->next) {
    if (folder->is_open && strncmp(path, folder->path, folder->length) == 0 && path[folder->length] == '/') return folder;
  }
  return NULL;
}

/* What is there when the disk hears of a file for the first time is durable. */
static void read_platter(File *file) {
  FILE *in = fopen(file->path, "rb");
  if (in == NULL) return;
  unsigned char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;) put(&file->platter, buffer, file->platter.size, (int64_t)n);
  fclose(in);
}

static File *file_of(Folder *folder, const char *path) {
  for (File *file = folder->files; file != NULL; file = file->next) {
    if (strcmp(file->path, path) == 0) return file;
  }
  File *file = must(calloc(1, sizeof *file));
  file->folder = folder;
  file->path = must(strdup(path));
  file->exists = file->entry_durable = access(path, F_OK) == 0;
  if (file->exists) read_platter(file);
  file->next = folder->files;
  folder->files = file;
  return file;
}

static int x_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *out_flags) {
  (void)vfs;
  Handle *handle = (Handle *)base;
  memset(handle, 0, sizeof *handle);
  handle->real = (sqlite3_file *)(handle + 1);
  sqlite3_mutex_enter(mutex);
  Folder *folder = name == NULL ? NULL : folder_of(name);
  /* Before the real one creates it. */
  File *file = folder == NULL ? NULL : file_of(folder, name);
  int rc = real_vfs->xOpen(real_vfs, name, handle->real, flags, out_flags);
  if (handle->real->pMethods != NULL) handle->base.pMethods = &methods;
  if (rc == SQLITE_OK && file != NULL) {
    const int journal = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    handle->file = file;
    handle->generation = folder->generation;
    handle->syncs_folder = (flags & SQLITE_OPEN_CREATE) && (flags & journal);
    file->exists = 1;
    folder->handles++;
  }
  sqlite3_mutex_leave(mutex);
  return rc;
}

static void removed(File *file, int synced) {
  forget_ops(file);
  if (file->entry_durable && !file->has_ghost) {
    file->has_ghost = 1;
    file->ghost = file->platter;
    memset(&file->platter, 0, sizeof file->platter);
  }
  clear(&file->platter);
  file->exists = file->entry_durable = 0;
  if (synced) sync_folder(file->folder);
}

static int x_delete(sqlite3_vfs *vfs, const char *name, int synced) {
  (void)vfs;
  sqlite3_mutex_enter(mutex);
  Folder *folder = folder_of(name);
  int rc = SQLITE_IOERR_DELETE;
  if (folder == NULL) rc = real_vfs->xDelete(real_vfs, name, synced);
  else if (folder->dead == 0) {
    File *file = file_of(folder, name);
    rc = real_vfs->xDelete(real_vfs, name, 0);
    if (rc == SQLITE_OK) removed(file, synced);
  }
  sqlite3_mutex_leave(mutex);
  return rc;
}

/* ---- SQL ---- */

static Folder *folder_named(sqlite3_context *context, sqlite3_value *value) {
  const char *path = (const char *)sqlite3_value_text(value);
  for (Folder *folder = folders; folder != NULL; folder = folder->next) {
    if (folder->is_open && path != NULL && strcmp(folder->path, path) == 0) return folder;
  }
  sqlite3_result_error(context, "this folder is not on the disk", -1);
  return NULL;
}

static void disk_open(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  const char *path = (const char *)sqlite3_value_text(values[0]);
  if (path == NULL || path[0] != '/') return sqlite3_result_error(context, "a folder is an absolute path", -1);
  sqlite3_mutex_enter(mutex);
  Folder *folder = must(calloc(1, sizeof *folder));
  folder->path = must(strdup(path));
  folder->length = strlen(path);
  folder->is_open = 1;
  folder->next = folders;
  folders = folder;
  sqlite3_mutex_leave(mutex);
}

static void disk_close(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  sqlite3_mutex_enter(mutex);
  Folder *folder = folder_named(context, values[0]);
  if (folder != NULL) {
    folder->is_open = 0;
    if (folder->handles == 0) free_folder(folder);
  }
  sqlite3_mutex_leave(mutex);
}

static void disk_crash(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  sqlite3_mutex_enter(mutex);
  Folder *folder = folder_named(context, values[0]);
  if (folder != NULL) crash(folder, sqlite3_value_int(values[1]), (uint64_t)sqlite3_value_int64(values[2]));
  sqlite3_mutex_leave(mutex);
}

static void disk_fail(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  sqlite3_mutex_enter(mutex);
  Folder *folder = folder_named(context, values[0]);
  if (folder != NULL) {
    Fault fault = {0};
    fault.kind = sqlite3_value_int(values[1]);
    sqlite3_snprintf((int)sizeof fault.name, fault.name, "%s", sqlite3_value_text(values[2]));
    fault.at = sqlite3_value_int64(values[3]);
    fault.stays = sqlite3_value_int(values[4]);
    fault.chance = sqlite3_value_double(values[5]);
    fault.error = sqlite3_value_int(values[6]);
    fault.mode = sqlite3_value_int(values[7]);
    fault.seed = (uint64_t)sqlite3_value_int64(values[8]);
    folder->fault = fault;
    folder->chances = fault.seed;
  }
  sqlite3_mutex_leave(mutex);
}

static void disk_counts(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  sqlite3_mutex_enter(mutex);
  Folder *folder = folder_named(context, values[0]);
  if (folder != NULL) {
    char *text = sqlite3_mprintf("%lld,%lld,%lld,%lld", folder->writes, folder->syncs, folder->failures, folder->lost);
    sqlite3_result_text(context, text, -1, sqlite3_free);
  }
  sqlite3_mutex_leave(mutex);
}

static void become_default(void) {
  real_vfs = sqlite3_vfs_find(NULL);
  /* What is not replaced takes no notice of the VFS that it is called with. */
  our_vfs = *real_vfs;
  our_vfs.zName = "faulty-disk";
  our_vfs.szOsFile = (int)sizeof(Handle) + real_vfs->szOsFile;
  our_vfs.xOpen = x_open;
  our_vfs.xDelete = x_delete;
  sqlite3_vfs_register(&our_vfs, 1);
}

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  (void)error;
  SQLITE_EXTENSION_INIT2(api);
  mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
  sqlite3_mutex_enter(mutex);
  if (real_vfs == NULL) become_default();
  sqlite3_mutex_leave(mutex);
  sqlite3_create_function(db, "disk_open", 1, SQLITE_UTF8, NULL, disk_open, NULL, NULL);
  sqlite3_create_function(db, "disk_close", 1, SQLITE_UTF8, NULL, disk_close, NULL, NULL);
  sqlite3_create_function(db, "disk_crash", 3, SQLITE_UTF8, NULL, disk_crash, NULL, NULL);
  sqlite3_create_function(db, "disk_fail", 9, SQLITE_UTF8, NULL, disk_fail, NULL, NULL);
  sqlite3_create_function(db, "disk_counts", 1, SQLITE_UTF8, NULL, disk_counts, NULL, NULL);
  /* It stays when the connection that brought it is closed. */
  return SQLITE_OK_LOAD_PERMANENTLY;
}
