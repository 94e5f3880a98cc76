/* Solves linear complementarity problems with Siconos's lexicographic Lemke method and times it.
 *
 * Reads requests from stdin and writes one reply to stdout for each, until stdin ends; both binary,
 * in the byte order of the machine:
 *
 *   request  int32 n, int32 repeats, double M[n*n] (column-major), double q[n]
 *   reply    int32 info (0 is Siconos's "solved"), double nanoseconds (median of the repeats), double z[n]
 *
 * Every repeat starts from z = w = 0 and times the call of the solver alone.
 */
#define _POSIX_C_SOURCE 199309L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int ascending(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void *allocate(size_t count, size_t size)
{
  void *memory = calloc(count, size);
  if (!memory) {
    fputs("siconos_lemke: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static void receive(void *to, size_t size, size_t count)
{
  if (fread(to, size, count, stdin) != count) {
    fputs("siconos_lemke: the request ends early\n", stderr);
    exit(1);
  }
}

static void answer(int32_t n, int32_t repeats)
{
  const size_t length = (size_t)n;
  double *matrix = allocate(length * length, sizeof(double));
  double *vector = allocate(length, sizeof(double));
  double *z = allocate(length, sizeof(double));
  double *w = allocate(length, sizeof(double));
  double *times = allocate((size_t)repeats, sizeof(double));
  receive(matrix, sizeof(double), length * length);
  receive(vector, sizeof(double), length);

  LinearComplementarityProblem problem;
  problem.size = n;
  problem.M = NM_create_from_data(NM_DENSE, n, n, matrix);
  problem.q = vector;
  SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);

  int info = -1;
  for (int32_t repeat = 0; repeat < repeats; ++repeat) {
    memset(z, 0, length * sizeof(double));
    memset(w, 0, length * sizeof(double));
    const double start = now();
    lcp_lexicolemke(&problem, z, w, &info, options);
    times[repeat] = now() - start;
  }
  qsort(times, (size_t)repeats, sizeof(double), ascending);

  const int32_t status = info;
  fwrite(&status, sizeof status, 1, stdout);
  fwrite(&times[repeats / 2], sizeof(double), 1, stdout);
  fwrite(z, sizeof(double), length, stdout);
  fflush(stdout);

  solver_options_delete(options);
  free(options);
  NM_clear(problem.M); /* frees `matrix` too */
  free(problem.M);
  free(vector);
  free(z);
  free(w);
  free(times);
}

int main(void)
{
  int32_t sizes[2];
  while (fread(sizes, sizeof(int32_t), 2, stdin) == 2) {
    if (sizes[0] < 1 || sizes[1] < 1) {
      fputs("siconos_lemke: sizes must be positive\n", stderr);
      return 1;
    }
    answer(sizes[0], sizes[1]);
  }
  return 0;
}
