-- Refreshes sessions, each token once: a token that was handed out goes to the end of the line.
-- Arguments: a file with one refresh token per line, more of them than connections.

local tokens, first, last = {}, 1, 0

function init(arguments)
  for token in io.lines(arguments[1]) do
    last = last + 1
    tokens[last] = token
  end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  local token = tokens[first]
  tokens[first] = nil
  first = first + 1
  return wrk.format(nil, "/auth/v1/token?grant_type=refresh_token", nil, '{"refresh_token":"' .. token .. '"}')
end

function response(status, headers, body)
  last = last + 1
  tokens[last] = body:match('"refresh_token":"([^"]+)"')
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'SUMMARY {"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "refused": %d, "broken": %d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
