# Worst-case stack of every public function, from what the compiler wrote:
#
#   awk -v code=cloth.s -v return_address=0 -f tests/stack.awk cloth.su cloth.s
#
# cloth.su is what -fstack-usage writes, cloth.s the assembly it belongs to, `return_address` what a call pushes beyond
# the frames that the compiler counts. Prints for each public function
#
#   bytes name chain-of-calls-that-needs-them, each with its own frame
#
# and then "outside" with the functions that are called but not here (their stack is not counted), and "recursion",
# "dynamic" or "unframed" with a function's name where there is no bound.
#
# A function's callees are the functions whose names stand in its calls, jumps and branches, so tail calls count. A
# function whose name stands anywhere else has its address taken: any indirect call may call it. More than can happen,
# never less.

function trouble(what, name) {
  if (!((what, name) in troubled))
    troubles[++trouble_count] = what " " name
  troubled[what, name] = 1
}

# cloth.su leaves out numbers in the names of clones.
function without_number(name) {
  gsub(/\.[0-9]+/, "", name)
  return name
}

# "file:line:column:name <tab> bytes <tab> kind"; clang leaves the column out. Of clones with one name the largest counts.
function read_frame(line,   fields, name, bytes) {
  split(line, fields, "\t")
  name = fields[1]
  sub(/.*:/, "", name)
  name = without_number(name)
  bytes = fields[2] + return_address
  if (!(name in frame) || bytes > frame[name])
    frame[name] = bytes
  if (fields[3] == "dynamic") # "dynamic,bounded" has a bound, and that is what stands there
    trouble("dynamic", name)
}

function without_comment(line) {
  sub(/^#.*/, "", line)
  if (line !~ /\.type/)
    sub(/[ \t]@.*/, "", line)
  sub(/[ \t](#|\/\/|;)([ \t].*)?$/, "", line)
  return line
}

# Calls and jumps, mostly to other functions.
function is_call(mnemonic) {
  return mnemonic ~ /^(callq?|jmpq?|tail|j|jal|b|bl|blx)(\.[nw])?$/
}

# Branches with a condition: rarely to other functions.
function is_branch(mnemonic) {
  return mnemonic ~ /^(b\.?|bl)(eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)(\.[nw])?$/ ||
         mnemonic ~ /^j(n?[abceglopsz]e?)$/
}

# Calls and jumps through a register or memory, returns excepted; on ARMv6-M a return pops the address into a register
# first. The jump of a switch cannot be told from a tail call.
function goes_through_pointer(mnemonic, operands) {
  if (mnemonic ~ /^(callq?|jmpq?|notrack)$/)
    return operands ~ /\*/
  if (mnemonic ~ /^(bx|blx)$/)
    return operands ~ /^(r[0-9]+|ip|sl|fp)$/ && just_popped != "{" operands "}"
  return mnemonic ~ /^(br|blr|jr|jalr)$/ && operands != "ra"
}

# Which of the names are functions is known at the end.
function read_instruction(mnemonic, operands,   names, count, i) {
  if (goes_through_pointer(mnemonic, operands)) {
    uses_pointer[current] = 1
    return
  }
  sub(/@(PLT|plt)/, "", operands)
  count = split(operands, names, /[^A-Za-z0-9_.]+/)
  for (i = 1; i <= count; i++) {
    if (names[i] !~ /^[A-Za-z_]/)
      continue
    if (is_call(mnemonic) || is_branch(mnemonic))
      called[current] = called[current] " " names[i]
    else
      mentioned[names[i]] = 1
    if (is_call(mnemonic))
      surely_called[names[i]] = 1
  }
}

function read_assembly(line,   words) {
  line = without_comment(line)
  gsub(/[ \t]+$/, "", line)
  if (line ~ /^[ \t]*\.type[ \t].*[%@]function$/) {
    sub(/^[ \t]*\.type[ \t]+/, "", line)
    sub(/[ \t]*,.*/, "", line)
    is_function[line] = 1
  } else if (match(line, /^[ \t]*\.globa?l[ \t]+/)) {
    is_public[substr(line, RLENGTH + 1)] = 1
  } else if (match(line, /^[ \t]*\.(thumb_)?set[ \t]+/)) {
    split(substr(line, RLENGTH + 1), words, /[ \t,]+/)
    same_as[words[1]] = words[2]
  } else if (match(line, /^[A-Za-z_][A-Za-z0-9_.]*:/)) {
    if (substr(line, 1, RLENGTH - 1) in is_function)
      current = substr(line, 1, RLENGTH - 1)
  } else if (match(line, /^[ \t]+(\.word|\.long|\.quad|\.xword|\.[48]byte|[a-z][a-z0-9.]*)([ \t]+|$)/)) {
    split(line, words)
    read_instruction(words[1], substr(line, RLENGTH + 1))
    if (words[1] == "pop")
      just_popped = words[2]
    else if (words[2] != "sp,")
      just_popped = ""
  }
}

# Identical functions may have been folded into one with several names.
function folded(name) {
  return name in same_as ? same_as[name] : name
}

# Sets deepest[name], and chain[name] to how it comes about.
function descend(name,   names, count, i, callee, through) {
  open[name] = 1
  if (!(without_number(name) in frame))
    trouble("unframed", name)
  count = split(called[name] (name in uses_pointer ? taken : ""), names, " ")
  for (i = 1; i <= count; i++) {
    callee = folded(names[i])
    if (!(callee in is_function)) {
      if (callee in surely_called)
        outside[callee] = 1
    } else if (callee in open) {
      trouble("recursion", callee)
    } else {
      if (!(callee in deepest))
        descend(callee)
      if (through == "" || deepest[callee] > deepest[through])
        through = callee
    }
  }
  deepest[name] = frame[without_number(name)] + (through == "" ? 0 : deepest[through])
  chain[name] = name " " frame[without_number(name)] (through == "" ? "" : " > " chain[through])
  delete open[name]
}

FILENAME == code {
  read_assembly($0)
  next
}

{
  read_frame($0)
}

END {
  for (name in mentioned) {
    if (folded(name) in is_function)
      taken = taken " " folded(name)
  }
  for (name in is_function) {
    if (!(name in is_public))
      continue
    if (!(folded(name) in deepest))
      descend(folded(name))
    print deepest[folded(name)], name, chain[folded(name)]
  }
  for (name in outside)
    names = names " " name
  print "outside" names
  for (i = 1; i <= trouble_count; i++)
    print troubles[i]
}
