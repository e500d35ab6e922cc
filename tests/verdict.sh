# For the scripts that test: counts what passes and fails, and says what fails. Sourced.
passed=0
failed=0

verdict() { # NAME STATUS DETAIL
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $1: ${3:-}"
  fi
}

# The last line, and the script's status.
report() {
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
}
