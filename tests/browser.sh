# A page in a headless Chromium, through WebDriver: sourced after tests/verdict.sh. $out is the folder of the page.
port=$((20000 + $$ % 20000))
driver_port=$((port + 1))
driver=http://127.0.0.1:$driver_port

request() { # METHOD PATH BODY
  curl -s --max-time 260 -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} "$driver/session$2"
}

value_of() {
  sed 's/^{"value"://; s/}$//; s/^"//; s/"$//'
}

# Scripts are in single quotes inside, to stand in JSON as they are. They may take minutes: on a machine that does other
# work a towel with impulses takes more than the half minute that WebDriver allows by default.
run() { # SCRIPT
  request POST "/$session/execute/sync" "$(echo "{\"script\": \"$1\", \"args\": []}" | tr '\n' ' ')" | value_of
}

# Tries until a script says true, for ten seconds.
await() { # SCRIPT
  for attempt in $(seq 100); do
    [ "$(run "$1")" = true ] && return 0
    sleep 0.1
  done
  return 1
}

devtools() { # COMMAND PARAMETERS
  request POST "/$session/goog/cdp/execute" "{\"cmd\": \"$1\", \"params\": $2}" >/dev/null
}

screen() { # WIDTH HEIGHT SCALE MOBILE
  devtools Emulation.setDeviceMetricsOverride \
    "{\"width\": $1, \"height\": $2, \"deviceScaleFactor\": $3, \"mobile\": $4}"
  devtools Emulation.setTouchEmulationEnabled "{\"enabled\": $4, \"maxTouchPoints\": 5}"
}

start() {
  busybox httpd -f -p "127.0.0.1:$port" -h "$out" &
  server=$!
  chromedriver --port=$driver_port --log-level=OFF >/dev/null 2>&1 &
  chromedriver=$!
  trap 'request DELETE "/${session:-}" >/dev/null; kill $server $chromedriver 2>/dev/null' EXIT
  for attempt in $(seq 50); do
    curl -s "$driver/status" | grep -q '"ready":true' && break
    sleep 0.2
  done
  arguments='"--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--hide-scrollbars"'
  session=$(request POST "" "{\"capabilities\": {\"alwaysMatch\": {\"browserName\": \"chrome\",
    \"timeouts\": {\"script\": 240000},
    \"goog:loggingPrefs\": {\"browser\": \"ALL\"}, \"goog:chromeOptions\": {\"args\": [$arguments]}}}}" |
    sed -n 's/.*"sessionId":"\([0-9a-f]*\)".*/\1/p')
  [ -n "$session" ]
}

picture() { # NAME
  request GET "/$session/screenshot" | value_of | base64 -d >"$out/$1.png"
  [ "$(wc -c <"$out/$1.png")" -gt 20000 ]
  verdict "picture $1" $? "$(wc -c <"$out/$1.png") bytes"
}

no_errors() {
  errors=$(request POST "/$session/se/log" '{"type": "browser"}' | grep -o '"level":"SEVERE","message":"[^"]*"')
  [ -z "$errors" ]
  verdict "console without errors" $? "$errors"
}

mouse() { # TYPE BUTTON X Y
  devtools Input.dispatchMouseEvent "{\"type\": \"mouse$1\", \"button\": \"$2\", \"buttons\": 1, \"x\": $3, \"y\": $4}"
}

touch_screen() { # TYPE POINTS
  devtools Input.dispatchTouchEvent "{\"type\": \"touch$1\", \"touchPoints\": [$2]}"
}

pointer() { # mouse|touch down|move|up X Y
  case $1-$2 in
  mouse-down) mouse Pressed left "$3" "$4" ;;
  mouse-move) mouse Moved none "$3" "$4" ;;
  mouse-up) mouse Released left "$3" "$4" ;;
  touch-down) touch_screen Start "{\"x\": $3, \"y\": $4}" ;;
  touch-move) touch_screen Move "{\"x\": $3, \"y\": $4}" ;;
  touch-up) touch_screen End "" ;;
  esac
}
