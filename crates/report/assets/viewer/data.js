// Plays a view, the JSON document that `percussion_record::view` describes.
(() => {
  "use strict";
  const view = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const planar = view.dimension === "plane";
  const stride = planar ? 3 : 7;
  const colors = ["#4e79a7", "#e15759", "#59a14f", "#b07aa1", "#f28e2b", "#76b7b2", "#9c755f", "#d37295"];
  const largestChoice = 6;
  // So many balls are drawn as spheres with corners; more as points that are shaded like spheres.
  const mostSpheres = 60;
  const wall = "#9aa3ad";

  // What is shown: the motions side by side, the first of them in the charts and the table.
  const laws = view.motions.map((_, i) => i).filter((i) => view.motions[i].sample === null);
  // The compliant outcome, with which the others are compared, is shown with the first ones.
  const isMeasure = (index) => view.motions[index].name === "compliant";
  const first = [...laws.filter((i) => !isMeasure(i)).slice(0, largestChoice - (laws.some(isMeasure) ? 1 : 0)), ...laws.filter(isMeasure)];
  const state = { shown: laws.length ? first : [0], ghost: null, arrows: "root", time: 0, playing: false, held: [] };
  const motion = (i) => view.motions[i];
  const [begin, end] = view.motions.reduce(
    ([low, high], { times }) => [Math.min(low, times[0]), Math.max(high, times[times.length - 1])],
    [Infinity, -Infinity]);
  state.time = begin;

  // Times: the last frame at or before `time`, so that of two frames of one time the later one counts.
  function frameAt(times, time) {
    let low = 0, high = times.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    return low;
  }

  const number = (value) => {
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text = size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
    return text.replace("-", "−");
  };
  const element = (name, attributes = {}, ...children) => {
    const svg = ["svg", "g", "path", "line", "text", "circle", "rect", "polyline", "polygon", "title"].includes(name);
    const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

  // Balls in their compact form, read once.
  for (const each of view.motions.filter(({ grains }) => grains)) {
    const { corners, radii, places, shapes } = each.grains;
    if (shapes) shapes.turns = new Int16Array(bytes(shapes.turns));
    each.grains = { corners, radii: new Float32Array(bytes(radii)), places: new Uint16Array(bytes(places)), shapes };
  }
  const granular = view.motions.some(({ grains }) => grains);
