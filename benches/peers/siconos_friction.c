/* Solves frictional contact problems in space with Siconos and times it.
 *
 * Reads requests from stdin and writes one reply to stdout for each, until stdin ends; both binary,
 * in the byte order of the machine:
 *
 *   request  int32 task, contacts, blocks, iterations, repeats; double tolerance, limit;
 *            int32 starts[contacts + 1], columns[blocks] (compressed rows of 3 x 3 blocks);
 *            double values[9 * blocks] (column-major), free[3 * contacts], friction[contacts], start[3 * contacts]
 *   reply    int32 info (0 is Siconos's "solved"), int32 iterations; double nanoseconds (least of the repeats);
 *            double impulses[3 * contacts]
 *
 * Tasks:
 *   0  Gauss-Seidel, quartic local solver, no look at the error before the last sweep
 *   1  one contact by the quartic solver alone, `iterations` times
 *   2  Gauss-Seidel, quartic local solver, to the tolerance
 *   3  Gauss-Seidel, Newton's local solver with projections where it fails, to the tolerance
 *   4  semismooth Newton's method of Alart and Curnier, all contacts at once, to the tolerance
 *   5  alternating directions, to the tolerance
 *   6  proximal point method, to the tolerance
 *   7  semismooth Newton's method of Fischer and Burmeister, to the tolerance
 *   8  semismooth Newton's method on the natural map, to the tolerance
 *   9  fixed points of Tresca problems, to the tolerance
 *  10  fixed points of Acary, Cadoux, Lemarechal and Malick, to the tolerance
 *  11  extragradient method, to the tolerance
 *
 * Every repeat begins at `start` and times the call of the solver alone. A request that takes longer than `limit` (s)
 * ends the driver. What Siconos prints is dropped.
 */
#define _XOPEN_SOURCE 600

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_Solvers.h>

/* The replies; Siconos may print to stdout. */
static FILE *replies;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void *allocate(size_t count, size_t size)
{
  void *memory = calloc(count ? count : 1, size);
  if (!memory) {
    fputs("siconos_friction: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static void *receive(size_t size, size_t count)
{
  void *to = allocate(count, size);
  if (fread(to, size, count, stdin) != count) {
    fputs("siconos_friction: the request ends early\n", stderr);
    exit(1);
  }
  return to;
}

/* The matrix by blocks; the driver keeps it until it ends a request. */
static NumericsMatrix *matrix(int32_t contacts, int32_t blocks, const int32_t *starts, const int32_t *columns,
                              double *values)
{
  NumericsMatrix *matrix = NM_create(NM_SPARSE_BLOCK, 3 * contacts, 3 * contacts);
  SparseBlockStructuredMatrix *sparse = matrix->matrix1;
  sparse->nbblocks = (unsigned)blocks;
  sparse->blocknumber0 = sparse->blocknumber1 = (unsigned)contacts;
  sparse->blocksize0 = allocate((size_t)contacts, sizeof(unsigned));
  sparse->blocksize1 = allocate((size_t)contacts, sizeof(unsigned));
  sparse->filled1 = (size_t)contacts + 1;
  sparse->filled2 = (size_t)blocks;
  sparse->index1_data = allocate((size_t)contacts + 1, sizeof(size_t));
  sparse->index2_data = allocate((size_t)blocks, sizeof(size_t));
  sparse->block = allocate((size_t)blocks, sizeof(double *));
  for (int32_t i = 0; i < contacts; ++i) {
    sparse->blocksize0[i] = sparse->blocksize1[i] = 3 * ((unsigned)i + 1);
  }
  for (int32_t i = 0; i <= contacts; ++i) sparse->index1_data[i] = (size_t)starts[i];
  for (int32_t i = 0; i < blocks; ++i) {
    sparse->index2_data[i] = (size_t)columns[i];
    sparse->block[i] = allocate(9, sizeof(double));
    memcpy(sparse->block[i], values + 9 * i, 9 * sizeof(double));
  }
  return matrix;
}

static SolverOptions *options(int32_t task, int32_t iterations, double tolerance)
{
  static const int solvers[] = {SICONOS_FRICTION_3D_NSGS,   SICONOS_FRICTION_3D_NSGS,   SICONOS_FRICTION_3D_NSGS,
                                SICONOS_FRICTION_3D_NSGS,   SICONOS_FRICTION_3D_NSN_AC, SICONOS_FRICTION_3D_ADMM,
                                SICONOS_FRICTION_3D_PROX,   SICONOS_FRICTION_3D_NSN_FB, SICONOS_FRICTION_3D_NSN_NM,
                                SICONOS_FRICTION_3D_TFP,    SICONOS_FRICTION_3D_ACLMFP, SICONOS_FRICTION_3D_VI_EG};
  SolverOptions *options = solver_options_create(solvers[task]);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (task <= 2) solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC_NU);
  if (task == 3) solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID);
  if (task == 0) {
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
  }
  return options;
}

static int solve(int32_t task, FrictionContactProblem *problem, double *impulses, double *velocities,
                 SolverOptions *options)
{
  int info = -1;
  if (task == 1) {
    /* Far above the resolution of the clock. */
    for (int call = 0; call < options->iparam[SICONOS_IPARAM_MAX_ITER]; ++call) {
      fc3d_unitary_enumerative(problem, impulses, velocities, &info, options->internalSolvers[0]);
    }
  } else if (task <= 3) {
    fc3d_nsgs(problem, impulses, velocities, &info, options);
  } else {
    info = fc3d_driver(problem, impulses, velocities, options);
  }
  return info;
}

static void answer(const int32_t *sizes)
{
  const int32_t task = sizes[0], contacts = sizes[1], blocks = sizes[2], iterations = sizes[3], repeats = sizes[4];
  const size_t length = 3 * (size_t)contacts;
  double *tolerance = receive(sizeof(double), 2);
  const double limit = tolerance[1];
  int32_t *starts = receive(sizeof(int32_t), (size_t)contacts + 1);
  int32_t *columns = receive(sizeof(int32_t), (size_t)blocks);
  double *values = receive(sizeof(double), 9 * (size_t)blocks);
  double *velocity = receive(sizeof(double), length);
  double *friction = receive(sizeof(double), (size_t)contacts);
  double *start = receive(sizeof(double), length);
  double *impulses = allocate(length, sizeof(double)), *velocities = allocate(length, sizeof(double));

  FrictionContactProblem problem = {.dimension = 3, .numberOfContacts = contacts, .q = velocity, .mu = friction};
  if (task == 1) {
    problem.M = NM_create_from_data(NM_DENSE, 3, 3, values);
  } else {
    problem.M = matrix(contacts, blocks, starts, columns, values);
  }
  SolverOptions *chosen = options(task, iterations, *tolerance);
  int info = -1;
  double least = 1e300;
  /* Without a handler the signal ends the process. */
  struct itimerval timer = {.it_value = {(time_t)limit, (suseconds_t)(1e6 * (limit - (double)(time_t)limit))}};
  setitimer(ITIMER_REAL, &timer, NULL);
  for (int32_t repeat = 0; repeat < repeats; ++repeat) {
    memcpy(impulses, start, length * sizeof(double));
    memset(velocities, 0, length * sizeof(double));
    const double begin = now();
    info = solve(task, &problem, impulses, velocities, chosen);
    const double time = now() - begin;
    if (time < least) least = time;
  }

  memset(&timer, 0, sizeof timer);
  setitimer(ITIMER_REAL, &timer, NULL);
  const int32_t status[2] = {info, chosen->iparam[SICONOS_IPARAM_ITER_DONE]};
  fwrite(status, sizeof status, 1, replies);
  fwrite(&least, sizeof least, 1, replies);
  fwrite(impulses, sizeof(double), length, replies);
  fflush(replies);

  solver_options_delete(chosen);
  free(chosen);
  NM_clear(problem.M); /* frees a dense `values` too */
  free(problem.M);
  if (task != 1) free(values);
  free(tolerance);
  free(starts);
  free(columns);
  free(velocity);
  free(friction);
  free(start);
  free(impulses);
  free(velocities);
}

int main(void)
{
  int32_t sizes[5];
  replies = fdopen(dup(STDOUT_FILENO), "wb");
  if (!replies || !freopen("/dev/null", "w", stdout)) {
    fputs("siconos_friction: stdout cannot be set apart\n", stderr);
    return 1;
  }
  while (fread(sizes, sizeof(int32_t), 5, stdin) == 5) {
    if (sizes[0] < 0 || sizes[0] > 11 || sizes[1] < 1 || sizes[2] < 1 || sizes[4] < 1) {
      fputs("siconos_friction: task, sizes and repeats are out of range\n", stderr);
      return 1;
    }
    answer(sizes);
  }
  return 0;
}
