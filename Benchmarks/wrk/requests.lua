-- Sends one kind of request and prints one line of JSON at the end.
-- Arguments: method, token or "-", file of the body or "-", value of Prefer or "-", then one or more paths, taken in turn.

function init(arguments)
  wrk.method = arguments[1]
  if arguments[2] ~= "-" then wrk.headers["Authorization"] = "Bearer " .. arguments[2] end
  if arguments[3] ~= "-" then
    local file = assert(io.open(arguments[3], "rb"))
    wrk.body = file:read("*a")
    wrk.headers["Content-Type"] = "application/json"
    file:close()
  end
  if arguments[4] ~= "-" then wrk.headers["Prefer"] = arguments[4] end
  wrk.path = arguments[5]
  if arguments[6] then take_in_turn(arguments, 5) end
end

-- Formats every request once; the generator then only walks the list.
function take_in_turn(arguments, first)
  local requests, position = {}, 0
  for index = first, #arguments do
    requests[#requests + 1] = wrk.format(nil, arguments[index])
  end
  request = function()
    position = position % #requests + 1
    return requests[position]
  end
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'SUMMARY {"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "refused": %d, "broken": %d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
