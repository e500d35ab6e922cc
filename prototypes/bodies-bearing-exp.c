/* Prototype of the inertia of bodies along normals. In a copy of the tree: patch -p1 -d src < bodies-bearing-prototype.patch; tests/coupling.c = bodies-bearing-coupling.c; this file as exp.c;
   sh bodies-bearing-mk.sh; ./exp h 2 .02. Letters: b bounce, h 60 kg, s S slopes, r l m rest; 0: without, 2: with; .02: slack over thickness. Scalar build only. */
#define main coupling_main
#include "tests/coupling.c"
#undef main
int TS = 10;
double FR = -1;
extern int P_NOLINES, P_SHEAR, P_CELL, PROTO, P_PRE, P_UNIFORM; extern float P_SLACK, P_MAXBETA;
static void bounces(float mass, int sub) {
  bounce b = bounce_ball(mass, sub);
  double rise = 0, most = 2.5;
  for (int i = 0; i < b.count; i++) { rise = fmax(rise, b.peaks[i] - most); most = fmin(most, b.peaks[i]); }
  printf("bounce %5g kg sub %2d: rise %.3f low %.3f first %.3f ratio %.3f n %d imb %.4f\n", (double)mass, sub, rise, b.lowest, b.peaks[0], (b.peaks[0]-b.lowest)/(2.5-b.lowest), b.count, b.imbalance);
}
static void rest(const char *name, int shape, float mass, int n, double side, double radius, int sub, int seconds, double tilt) {
  cloth_collider body = cloth_collider_default();
  body.shape = shape;
  body.radius = body.radius_top = (float)radius; body.half_height = (float)radius;
  body.half_extents = vector_at(radius, radius, radius);
  body.pose.position = vector_at(0.01, (shape == CLOTH_SHAPE_CAPSULE && tilt == 0 ? 2 : 1) * radius + 0.1, 0.02);
  if (tilt > 0) body.pose.rotation = rotation_about((point){0.0,0.0,1.0}, tilt);
  TS = sub;
  if (FR >= 0) body.static_friction = body.kinetic_friction = (float)FR;
  fixture s = trampoline(n, side, 0, &body, mass);
  cloth_config cf; (void)cf;

  double f = 0; int slept = 0; cloth_body b; cloth_pose p;
  for (int t = 0; t < seconds * 60; t++) { cloth_step(s.sheet, FRAME);
    if (getenv("DBG") && t % atoi(getenv("DBG")) == 0) { extern int dbg_n; extern float dbg_w; cloth_reaction rr; cloth_get_collider_reaction(s.sheet, 0, &rr); cloth_get_body(s.sheet, 0, &b, &p);
      int far = 0; double fv = 0; for (int i = 0; i < s.count; i++) { double v = point_length(velocity_of(s.sheet, i)); if (v > fv) { fv = v; far = i; } }
      cloth_vector q; cloth_get_position(s.sheet, far, &q); cloth_statistics st2; cloth_get_statistics(s.sheet, &st2);
      printf("  t %d y %.3f vy %.2f bear %d w %.2f react %.2f contacts %d cells %d fastest %.2f at %d,%d dist %.3f\n", t, (double)p.position.y, (double)b.velocity.y, dbg_n, (double)dbg_w*60/(mass*9.81), (double)rr.impulse.y*60/((double)mass*9.81), st2.contacts, st2.cell_contacts, fv, far/n, far%n, point_distance(point_of(q), point_of(p.position))); } { extern float dbg_w; dbg_w = 0; } if (!slept && cloth_is_asleep(s.sheet)) { slept = t; break; } if (t >= seconds*60-60) f = fmax(f, fastest_of(&s)); }
  cloth_get_body(s.sheet, 0, &b, &p);
  double st = 0; 
  for (int i = 0; i + 1 < s.count; i++) if (i % n != n-1) { cloth_vector a, c; cloth_get_position(s.sheet, i, &a); cloth_get_position(s.sheet, i+1, &c); st = fmax(st, point_distance(point_of(a), point_of(c)) / (side/(n-1))); }
  printf("rest %-9s %5g kg n %2d side %g sub %2d: fast %.3f slept %.1f at %.3f %.3f %.3f stretch %.2f\n", name, (double)mass, n, side, sub, f, slept/60.0, (double)p.position.x, (double)p.position.y, (double)p.position.z, st);
  fixture_free(&s);
}
static void slopes(int sub) {
  printf("slope sub %2d: mu0 %.3f mu.1 %.3f mu.8 %.3f\n", sub, slide_on_slope(0, sub), slide_on_slope(.1f, sub), slide_on_slope(.8f, sub));
}
int main(int n, char **a) {
  const char *what = a[1]; setvbuf(stdout, NULL, _IOLBF, 0);
  if (getenv("NOLINES")) P_NOLINES = 1; if (getenv("TS")) TS = atoi(getenv("TS")); P_SHEAR = 1; {extern int P_TAN; if (getenv("TAN")) P_TAN = atoi(getenv("TAN"));} {extern int P_FRIC; if (getenv("PF")) P_FRIC = atoi(getenv("PF"));} if (getenv("FR")) FR = atof(getenv("FR")); 
  PROTO = atoi(a[2]) > 0; P_CELL = atoi(a[2]) > 1;
  if (n > 3) P_SLACK = (float)atof(a[3]);
  if (n > 4) P_PRE = atoi(a[4]);
  if (n > 5) P_UNIFORM = atoi(a[5]);
  if (n > 6) P_MAXBETA = (float)atof(a[6]);
  if (strchr(what, 'b')) { const float m[] = {.1f,1,10,60}; const int k[] = {4,6,10,28}; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) bounces(m[i], k[j]); }
  if (strchr(what, 'h')) { const int k[] = {4,5,6,10,28}; for (int j = 0; j < 5; j++) bounces(60, k[j]); }
  if (strchr(what, 's')) for (int k = 4; k <= 28; k += 6) slopes(k);
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (strchr(what, 'q')) { int k[] = {4,10}; for (int j = 0; j < 2; j++) { rest("ball", CLOTH_SHAPE_SPHERE, 60, 33, 3, .25, k[j], 6, 0);
   rest("ball", CLOTH_SHAPE_SPHERE, 5, 17, 1, .1, k[j], 8, 0); rest("ball", CLOTH_SHAPE_SPHERE, 1, 17, 1, .1, k[j], 8, 0);} }
  if (strchr(what, 'S')) for (int k = 3; k < 9; k++) { printf("sub %d:", k); for (float mu = 0; mu < .26f; mu += .05f) printf(" %.3f", slide_on_slope(mu, k)); printf("\n"); }
  if (strchr(what, 'l')) { rest("ball", CLOTH_SHAPE_SPHERE, .1f, 17, 1, .1, TS, 40, 0); rest("ball", CLOTH_SHAPE_SPHERE, .1f, 32, 1, .1, TS, 40, 0); rest("ball", CLOTH_SHAPE_SPHERE, 1, 32, 1, .1, TS, 40, 0);}
  if (strchr(what, 'm')) { rest("ball", CLOTH_SHAPE_SPHERE, .1f, 32, 1, .1, TS, 25, 0); rest("ball", CLOTH_SHAPE_SPHERE, .2f, 32, 1, .1, TS, 25, 0); }
  if (strchr(what, 'B')) bounces(60, TS);
  if (strchr(what, '5')) rest("ball", CLOTH_SHAPE_SPHERE, 5, 17, 1, .1, TS, 4, 0);
  if (strchr(what, '6')) rest("ball", CLOTH_SHAPE_SPHERE, 60, 33, 3, .25, TS, 4, 0);
  if (strchr(what, 'r')) {
    int subs[] = {10};
    for (int q = 0; q < 1; q++) { int k = subs[q];
    rest("ball", CLOTH_SHAPE_SPHERE, .1f, 17, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, .1f, 32, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, .2f, 17, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, .2f, 32, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, 1, 17, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, 1, 32, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, 5, 17, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, 5, 32, 1, .1, k, 16, 0);
    rest("ball", CLOTH_SHAPE_SPHERE, 1, 33, 3, .25, k, 16, 0);
    rest("box", CLOTH_SHAPE_BOX, 1, 17, 1, .1, k, 16, 0);
    rest("box", CLOTH_SHAPE_BOX, 5, 17, 1, .1, k, 16, 0);
    rest("capsule", CLOTH_SHAPE_CAPSULE, 1, 17, 1, .1, k, 16, 0);
    rest("capsule", CLOTH_SHAPE_CAPSULE, 5, 17, 1, .1, k, 16, 0);
    rest("capsule-", CLOTH_SHAPE_CAPSULE, 5, 17, 1, .1, k, 16, 1.5707963);
    rest("cylinder", CLOTH_SHAPE_CYLINDER, 5, 17, 1, .1, k, 16, 0);
    rest("cylinder-", CLOTH_SHAPE_CYLINDER, 5, 17, 1, .1, k, 16, 1.5707963);
    }
  }
  return 0;
}
