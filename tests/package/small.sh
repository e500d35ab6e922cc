# For the suites that use cloth as a package does: sourced. What programs here do not use is left out; compilers take a
# fifth of the time, and the results stay the same.
small=""
for part in SELF MESH HULL HEIGHT_FIELD DISTANCE_GRID SHARED_BODIES SKIN QUERIES BODIES \
  PLANNING WRAP IMAGE SAVE_CHECKS BLEND GROUPS SEAMS MASK TEARING REST_SHAPE WORKERS MEASURE MOVE_FRAME ORIGIN SETTLE SLEEP \
  TARGETS; do
  small="$small -DCLOTH_NO_$part"
done
