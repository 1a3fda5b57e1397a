// The last hour, a sample each ten seconds.
import { html, useMemo, useData, useTicks, number } from "./base.js";
import { Head, Fault, Empty, Spinner } from "./parts.js";

export function Metrics() {
  const metrics = useData("/metrics");
  useTicks(10000, () => { if (metrics.data) metrics.tick(); });
  const series = useMemo(() => derive(metrics.data || []), [metrics.data]);
  return html`
    <${Head} title="Metrics" sub="This server, the last hour. /metrics has all of it for Prometheus." />
    <${Fault} error=${metrics.error} />
    ${!metrics.data ? html`<${Spinner} />` : series.length < 2 ? html`<${Empty} icon="metrics" title="Two samples make a line">One is taken each ten seconds; the first chart appears in a moment.<//>`
    : html`<div class="charts">
      <${Chart} title="Requests" unit="/s" points=${series} lines=${[["rate", "all", "a"], ["errors", "5xx", "b"]]} />
      <${Chart} title="Latency" unit="ms" points=${series} lines=${[["p50", "p50", "a"], ["p95", "p95", "c"], ["p99", "p99", "b"]]} />
      <${Chart} title="In flight" unit="" points=${series} lines=${[["inFlight", "requests", "a"]]} />
      <${Chart} title="Database" unit="" points=${series} lines=${[["connections", "connections", "a"], ["busy", "queries", "c"], ["waiting", "waiting", "b"]]} />
      <${Chart} title="Connections" unit="" points=${series} lines=${[["clients", "clients", "a"]]} />
      <${Chart} title="Jobs" unit="" points=${series} lines=${[["jobs", "waiting", "a"], ["running", "running", "c"]]} />
    </div>`}`;
}

const sum = (values, test) => Object.entries(values).reduce((total, [name, value]) => test(name) ? total + value : total, 0);

function derive(samples) {
  const points = [];
  for (let index = 1; index < samples.length; index += 1) {
    const [before, now] = [samples[index - 1], samples[index]];
    const seconds = Math.max((now.at - before.at) / 1000, 1);
    const gain = (test) => Math.max(0, sum(now, test) - sum(before, test));
    const buckets = Object.keys(now).filter((name) => name.startsWith("swiftlet_request_duration_seconds_bucket"))
      .map((name) => [name.split(" ")[1] === "+Inf" ? Infinity : Number(name.split(" ")[1]), (now[name] || 0) - (before[name] || 0)])
      .sort((a, b) => a[0] - b[0]);
    points.push({
      at: now.at,
      rate: gain((name) => name.startsWith("swiftlet_requests_total")) / seconds,
      errors: gain((name) => name === "swiftlet_requests_total 5") / seconds,
      p50: quantile(buckets, .5), p95: quantile(buckets, .95), p99: quantile(buckets, .99),
      inFlight: now.swiftlet_requests_in_flight ?? 0,
      connections: now.swiftlet_database_connections ?? 0,
      busy: now.swiftlet_database_queries_in_flight ?? 0,
      waiting: now.swiftlet_database_waiters ?? 0,
      clients: now.swiftlet_connections_open ?? 0,
      jobs: now.swiftlet_jobs_waiting ?? 0,
      running: now.swiftlet_jobs_running ?? 0,
    });
  }
  return points;
}

/** The bound of the bucket in milliseconds, as Prometheus reads it; null while nothing was asked. */
function quantile(buckets, share) {
  const total = buckets.length ? buckets[buckets.length - 1][1] : 0;
  if (!total) return null;
  let [lower, below] = [0, 0];
  for (const [bound, count] of buckets) {
    if (count >= total * share) return bound === Infinity ? lower * 1000 : (lower + (bound - lower) * ((total * share - below) / Math.max(count - below, 1e-9))) * 1000;
    [lower, below] = [bound, count];
  }
  return lower * 1000;
}

const width = 560, height = 150;

function Chart({ title, unit, points, lines }) {
  const top = nice(Math.max(...points.flatMap((point) => lines.map(([key]) => point[key] || 0)), 0));
  const [from, to] = [points[0].at, points[points.length - 1].at];
  const x = (at) => to === from ? 0 : ((at - from) / (to - from)) * width;
  const y = (value) => height - (value / top) * height;
  const path = (key) => points.reduce((text, point) => point[key] === null ? text : text + `${text ? "L" : "M"}${x(point.at).toFixed(1)} ${y(point[key]).toFixed(1)}`, "");
  const last = points[points.length - 1];
  const clock = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const words = (value) => value === null ? "–" : `${value >= 100 ? number(Math.round(value)) : value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
  return html`<figure class="card chart"><figcaption><h2>${title}</h2><div class="legend">${lines.map(([key, text, color]) => html`<span><i class=${"line-" + color}></i>${text} <strong>${words(last[key])}</strong></span>`)}</div></figcaption>
    <div class="plot"><span class="scale top">${words(top)}</span><svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label=${`${title}: ${lines.map(([key, text]) => `${text} ${words(last[key])}`).join(", ")}`}>
      ${[.25, .5, .75, 1].map((part) => html`<line class="rule" x1="0" x2=${width} y1=${height * part - (part === 1 ? .5 : 0)} y2=${height * part - (part === 1 ? .5 : 0)} />`)}
      ${lines.map(([key, , color]) => html`<path class=${"line line-" + color} d=${path(key)} />`)}</svg></div>
    <div class="axis dim"><span>${clock(from)}</span><span>${clock(to)}</span></div></figure>`;
}

function nice(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value);
}
