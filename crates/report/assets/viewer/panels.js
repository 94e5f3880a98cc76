  // ── charts ─────────────────────────────────────────────────────────────────────────────────────
  let cursors = [];

  function drawCharts() {
    const charts = new Map();
    for (const index of state.shown) {
      for (const curve of motion(index).curves) {
        const label = state.shown.length > 1 ? `${motion(index).name}: ${curve.label}` : curve.label;
        if (!charts.has(curve.chart)) charts.set(curve.chart, []);
        // A law keeps its color, whichever are shown.
        const hue = laws.length > 1 ? Math.max(0, laws.indexOf(index)) : charts.get(curve.chart).length;
        charts.get(curve.chart).push({ ...curve, label, hue, times: motion(index).times });
      }
    }
    cursors = [];
    $("charts").replaceChildren(...[...charts].map(([title, curves]) => element("div", {}, ...chart(title, curves))));
  }

  // Some five round numbers from `low` to `high`.
  function ticks(low, high) {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= 0.999 * rough);
    const all = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) all.push(Number((k * step).toPrecision(12)));
    return all;
  }

  // Of as many intervals as `most`, the first, the smallest, the largest and the last value each, so that no peak is lost.
  function thinned(points, most) {
    if (points.length <= 4 * most) return points;
    const size = Math.ceil(points.length / most);
    return Array.from({ length: Math.ceil(points.length / size) }, (_, k) => points.slice(k * size, (k + 1) * size)).flatMap((part) => {
      const places = part.map((_, i) => i).sort((a, b) => part[a][1] - part[b][1]);
      return [...new Set([0, places[0], places[places.length - 1], part.length - 1])].sort((a, b) => a - b).map((i) => part[i]);
    });
  }

  const stroke = (k) => ({ stroke: colors[k % colors.length], ...(k < colors.length ? {} : { "stroke-dasharray": "2 4" }) });

  function chart(title, curves) {
    const [width, height, left, bottom] = [420, 150, 58, 22];
    const finite = curves.flatMap(({ values }) => values.filter(Number.isFinite));
    const low = finite.reduce((a, b) => Math.min(a, b), Infinity), high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low <= high)) return [];
    const heading = element("h2", {}, curves[0].unit ? `${title} (${curves[0].unit})` : title);
    // A constant up to round-off needs no chart.
    if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) return [heading, element("p", {}, `${number(high)} at all times`)];
    const round = 1e-9 * (high - low);
    const tidy = (value) => number(Math.abs(value) < round ? 0 : value);
    const x = (time) => left + (width - left - 6) * (end > begin ? (time - begin) / (end - begin) : 0);
    const y = (value) => 8 + (height - bottom - 8) * (high - value) / (high - low);
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
    svg.append(element("path", { class: "axis", d: `M${left},8V${height - bottom}H${width - 6}` }));
    const label = (text, at, attributes) => svg.append(element("text", { x: at[0], y: at[1], ...attributes }, text));
    const tick = (path) => svg.append(element("path", { class: "axis", d: path }));
    for (const value of ticks(low, high)) {
      label(tidy(value), [left - 6, y(value) + 4], { "text-anchor": "end" });
      tick(`M${left - 3},${y(value).toFixed(1)}h3`);
    }
    for (const time of ticks(begin, end > begin ? end : begin + 1)) {
      // Numbers at an end stay within the picture.
      const place = Math.min(x(time), width - 24);
      label(`${number(time)}${time === begin || x(time) > width - 90 ? " s" : ""}`, [place, height - 6], { "text-anchor": "middle" });
      tick(`M${x(time).toFixed(1)},${height - bottom}v3`);
    }
    curves.forEach(({ times, values, hue }) => {
      const points = thinned(times.map((time, i) => [time, values[i]]).filter(([, value]) => Number.isFinite(value)), 500);
      svg.append(element("polyline", { class: "curve", ...stroke(hue), points: points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
    });
    const cursor = element("line", { class: "cursor", y1: 8, y2: height - bottom });
    svg.append(cursor);
    cursors.push(() => { for (const side of ["x1", "x2"]) cursor.setAttribute(side, x(state.time).toFixed(1)); });
    svg.addEventListener("click", (event) => {
      const rect = svg.getBoundingClientRect();
      const at = (event.clientX - rect.left) / rect.width * width;
      setTime(begin + (end - begin) * (at - left) / (width - left - 6));
    });
    const key = element("div", { class: "key" }, ...curves.slice(0, 12).map(({ label, hue }) => {
      const swatch = element("i");
      Object.assign(swatch.style, { color: stroke(hue).stroke, borderTopStyle: hue < colors.length ? "solid" : "dotted" });
      return element("span", {}, swatch, label);
    }));
    return [heading, svg, ...(curves.length > 1 ? [key] : [])];
  }

  // ── sets of outcomes ───────────────────────────────────────────────────────────────────────────
  function drawSets() {
    $("sets").replaceChildren(...view.sets.map((plane) => element("div", {}, ...setPlane(plane))));
  }

  function setPlane({ contact, hull, outcomes }) {
    const size = 300, room = 34;
    const known = view.motions.map(({ after }, index) => ({ index, at: after[contact] })).filter(({ at }) => at);
    const all = [...hull, ...outcomes, ...known.map(({ at }) => at), [0, 0]];
    const span = [0, 1].map((axis) => all.reduce(([low, high], point) => [Math.min(low, point[axis]), Math.max(high, point[axis])], [Infinity, -Infinity]));
    // Where all outcomes lie on a line or in a point there is room around them.
    const widest = Math.max(...span.map(([low, high]) => high - low)) || 1;
    const [[left, right], [bottom, top]] = span.map(([low, high]) => {
      const room = Math.max(0, 0.2 * widest - (high - low)) / 2;
      return [low - room, high + room];
    });
    const scale = (size - 2 * room) / Math.max(right - left, top - bottom);
    const height = 2 * room + scale * (top - bottom), aside = (size - 2 * room - scale * (right - left)) / 2;
    const x = (value) => room + aside + scale * (value - left), y = (value) => height - room - scale * (value - bottom);
    const svg = element("svg", { viewBox: `0 0 ${size} ${height.toFixed(1)}`, role: "img", "aria-label": `outcomes at ${view.contacts[contact]}` });
    const at = ([u, v]) => `${x(u).toFixed(1)},${y(v).toFixed(1)}`;
    if (hull.length > 1) svg.append(element("polygon", { class: "hull", points: hull.map(at).join(" ") }));
    svg.append(element("path", { class: "cells", d: outcomes.map((point) => `M${at(point)}h1.4v1.4h-1.4z`).join("") }));
    svg.append(element("path", { class: "axis", d: `M${room / 2},${y(0)}H${size - room / 2}M${x(0)},${room / 2}V${height - room / 2}` }));
    const text = (words, place, anchor) => svg.append(element("text", { x: place[0], y: place[1], "text-anchor": anchor }, words));
    text("sliding (m/s)", [size - 4, height - 4], "end");
    text("separation (m/s)", [4, 12], "start");
    const marks = [];
    const side = x(0) > size / 2 ? -1 : 1;
    let [free, above] = [-Infinity, Infinity];
    for (const value of span[0][1] > span[0][0] ? ticks(...span[0]) : [span[0][0]]) {
      // A label that would cover the one before is left out.
      const half = widthOf(number(value)) / 2;
      if (x(value) - half > free) {
        text(number(value), [x(value), height - room + 18], "middle");
        free = x(value) + half + 4;
      }
      marks.push(`M${x(value).toFixed(1)},${(y(0) - 2).toFixed(1)}v4`);
    }
    for (const value of span[1][1] > span[1][0] ? ticks(...span[1]) : [span[1][0]]) {
      if (value !== 0 && y(value) < height - room + 4 && Math.abs(y(value) - above) > 12) {
        text(number(value), [x(0) + 5 * side, y(value) + 4], side < 0 ? "end" : "start");
        above = y(value);
      }
      marks.push(`M${(x(0) - 2).toFixed(1)},${y(value).toFixed(1)}h4`);
    }
    svg.append(element("path", { class: "axis", d: marks.join("") }));
    for (const { index, at: point } of known) {
      const sample = motion(index).sample !== null;
      const mark = element("circle", { class: sample ? "sample" : "law", r: sample ? 2.6 : 4.5, cx: x(point[0]).toFixed(1), cy: y(point[1]).toFixed(1), "data-motion": index });
      mark.append(element("title", {}, motion(index).name));
      mark.addEventListener("click", () => choose(index));
      svg.append(mark);
    }
    const ofLaws = known.filter(({ index }) => motion(index).sample === null).map(({ index, at: [u, v] }) => ({ name: motion(index).name, place: [x(u), y(v)] }));
    for (const { words, names, at: place, anchor } of namesBeside(ofLaws, size, height)) svg.append(element("text", { class: "name", x: place[0].toFixed(1), y: place[1].toFixed(1), "text-anchor": anchor }, element("title", {}, names.join(", ")), words));
    for (const index of state.shown.filter((shown) => motion(shown).after[contact])) {
      const [u, v] = motion(index).after[contact];
      svg.append(element("circle", { class: "chosen", r: 6.5, cx: x(u).toFixed(1), cy: y(v).toFixed(1) }));
    }
    return [element("h2", {}, `Outcomes at ${view.contacts[contact]}`), svg];
  }

  // The width of a text in a figure (px), with the font of the page.
  const pen = document.createElement("canvas").getContext("2d");
  function widthOf(words) {
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(words).width + 3;
  }

  // Names beside their points, those of one place together, where they cover neither each other nor other points.
  function namesBeside(points, width, height) {
    const places = [];
    for (const { name, place } of points) {
      const near = places.find((other) => Math.hypot(other.place[0] - place[0], other.place[1] - place[1]) < 8);
      if (near) near.names.push(name); else places.push({ place, names: [name] });
    }
    const taken = places.map(({ place: [x, y] }) => [x - 5, y - 5, x + 5, y + 5]);
    const labels = [];
    for (const { place: [x, y], names } of places) {
      const words = names.length > 2 ? `${names.slice(0, 2).join(", ")} + ${names.length - 2}` : names.join(", ");
      const wide = widthOf(words);
      const tries = [1, -1].flatMap((side) => [0, -10, 10, -20, 20].map((down) => ({ side, down })));
      const box = ({ side, down }) => (side > 0 ? [x + 8, y + down - 6, x + 8 + wide, y + down + 6] : [x - 8 - wide, y + down - 6, x - 8, y + down + 6]);
      const isFree = ([left, top, right, bottom]) => left > 0 && right < width && top > 14 && bottom < height - 20 && !taken.some(([l, t, r, b]) => left < r && right > l && top < b && bottom > t);
      const found = tries.find((one) => isFree(box(one)));
      if (!found) continue;
      taken.push(box(found));
      labels.push({ words, names, at: [x + 8 * found.side, y + found.down + 4], anchor: found.side > 0 ? "start" : "end" });
    }
    return labels;
  }

  // ── the table of contacts ──────────────────────────────────────────────────────────────────────
  let tableKey = "";

  function drawContacts() {
    if (!view.contacts.length) return;
    const index = state.shown[0];
    const { times, touches } = motion(index);
    const now = frameAt(times, state.time);
    const key = `${index} ${now}`;
    if (key === tableKey) return;
    tableKey = key;
    // Where nothing touches, what touched last: an impact takes no time.
    let frame = now;
    while (frame > 0 && !touches[frame].length) frame -= 1;
    if (!touches[frame].length) frame = now;
    const rows = touches[frame].slice(0, 30).map(({ contact, mode, impulse }) => element("tr", {},
      element("th", { scope: "row" }, view.contacts[contact] ?? String(contact)),
      element("td", { class: `mode ${mode}` }, mode),
      element("td", { class: "number" }, number(Math.hypot(...impulse)))));
    const name = state.shown.length > 1 ? ` (${motion(index).name})` : "";
    const head = element("tr", {}, ...["contact", "mode", "size of the impulse (N·s)"].map((text) => element("th", { scope: "col" }, text)));
    const body = rows.length ? rows : [element("tr", {}, element("td", { colspan: "3" }, "nothing touches"))];
    const title = frame === now ? "Contacts now" : `Nothing touches; contacts at ${number(times[frame])} s`;
    $("contacts").replaceChildren(element("h2", {}, `${title}${name}`), element("div", { class: "scroll" }, element("table", {}, head, ...body)));
  }
