-- Sends the requests of a file in turn: each line is a method, a path, a token, and the name of a file with the body or "-".

function init(arguments)
  local bodies, requests, position = {}, {}, 0
  for line in io.lines(arguments[1]) do
    local method, path, token, name = line:match("^(%S+) (%S+) (%S+) (%S+)$")
    if name ~= "-" and not bodies[name] then
      local file = assert(io.open(name, "rb"))
      bodies[name] = file:read("*a")
      file:close()
    end
    local headers = { ["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json" }
    requests[#requests + 1] = wrk.format(method, path, headers, bodies[name])
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
