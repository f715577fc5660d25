// Makes our drawings and tables answer: tooltips, clicks, arrow keys, downloads.
// They are made in Python and complete without this script. It asks nothing of any server, and
// shows texts as text: only `markup`, which Python has escaped, becomes elements.
const MARKS = ".pf-mark, [data-series] > .pf-sign, [data-series] > .pf-word";
const CELLS = ".pf-grid :is(td, th):is([data-category], [data-status], [data-sort])";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const REACH = 14; // pixels around a small mark that still mean it
const delivered = new WeakSet(); // files already saved by another view of the same model

// What a mark stands for: the data attributes of the mark and of what it lies in.
function meaning(mark, root) {
  const found = {};
  for (let node = mark; node && node !== root; node = node.parentElement)
    for (const [name, value] of Object.entries(node.dataset)) found[name] ??= value;
  const { name, series, ...meant } = found;
  if (mark.classList.contains("pf-sign")) return { toggle: series, figure: name };
  return Object.keys(meant).length ? meant : null;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// The figure as a file of its own: the page's colours written out, the legend drawn above.
function picture(figure) {
  const make = (tag, attributes, text = "") => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.textContent = text;
    return node;
  };
  const svg = figure.querySelector("svg"), box = figure.getBoundingClientRect();
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, at) => {
    const look = getComputedStyle(from[at]);
    for (const name of ["fill", "stroke", "font-family", "font-size"])
      node.setAttribute(name, look.getPropertyValue(name));
    if (node.hasAttribute("aria-label") && at) node.prepend(make("title", {}, node.ariaLabel));
    for (const name of ["role", "tabindex", "class", "aria-label"]) node.removeAttribute(name);
  });
  const place = svg.getBoundingClientRect(), look = getComputedStyle(figure);
  const at = { x: place.left - box.left, y: place.top - box.top };
  for (const [name, value] of Object.entries({ ...at, width: place.width })) copy.setAttribute(name, value);
  const ground = getComputedStyle(document.body).getPropertyValue("--jp-layout-color1") || "#FFFFFF";
  const whole = make("svg", {
    xmlns: "http://www.w3.org/2000/svg", width: box.width, height: at.y + place.height,
    "font-family": look.fontFamily, "font-size": look.fontSize, fill: look.color,
  });
  whole.append(make("rect", { width: "100%", height: "100%", fill: ground }));
  for (const key of figure.querySelectorAll(".pf-entry")) {
    const held = key.getBoundingClientRect(), sign = key.querySelector(".pf-sign");
    const text = make("text", { x: held.left - box.left, y: held.bottom - box.top - 5 });
    text.append(make("tspan", { fill: getComputedStyle(sign).color }, sign.textContent));
    text.append(key.textContent.slice(sign.textContent.length));
    whole.append(text);
  }
  whole.append(copy);
  return { text: new XMLSerializer().serializeToString(whole), width: box.width, height: at.y + place.height };
}

async function download(figure, kind) {
  const { text, width, height } = picture(figure), name = `${figure.dataset.name}.${kind}`;
  if (kind === "svg") return save(new Blob([text], { type: "image/svg+xml" }), name);
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, name));
}

// The nearest mark in the direction of an arrow key; what lies beside the way is far.
function neighbour(from, marks, [dx, dy]) {
  const here = from.getBoundingClientRect();
  let best = null, least = Infinity;
  for (const mark of marks) {
    const box = mark.getBoundingClientRect();
    const right = (box.left + box.right - here.left - here.right) / 2;
    const down = (box.top + box.bottom - here.top - here.bottom) / 2;
    const aside = dx ? Math.max(box.top - here.bottom, here.top - box.bottom, 0)
      : Math.max(box.left - here.right, here.left - box.right, 0);
    const along = right * dx + down * dy, cost = along + 30 * aside;
    if (along > 1 && cost < least) [best, least] = [mark, cost];
  }
  return best;
}

function render({ model, el }) {
  const root = document.createElement("div"), tip = document.createElement("div");
  root.className = "pf-live";
  root.dataset.lmSuppressShortcuts = "true"; // keys pressed here are not the notebook's
  tip.className = "pf-tip";
  tip.hidden = true;
  el.style.position = "relative"; // the tooltip's place is counted from here
  el.append(root, tip);

  const show = (mark) => {
    tip.hidden = !mark?.classList.contains("pf-mark") || !mark.ariaLabel;
    if (tip.hidden) return;
    tip.textContent = mark.ariaLabel;
    const box = mark.getBoundingClientRect(), frame = tip.offsetParent.getBoundingClientRect();
    const left = box.left + box.width / 2 - frame.left - tip.offsetWidth / 2;
    tip.style.left = `${Math.max(0, Math.min(left, frame.width - tip.offsetWidth))}px`;
    const above = box.top - frame.top - tip.offsetHeight - 6;
    tip.style.top = `${above > -frame.top ? above : box.bottom - frame.top + 6}px`;
  };
  const zoneOf = (node) => node.closest?.(".pf-chart, .pf-grid");
  const marksOf = (zone) => [...zone.querySelectorAll(MARKS + ", .pf-save button")];
  const near = (event) => {
    const direct = event.target.closest(MARKS), zone = zoneOf(event.target);
    if (direct || !zone?.querySelector("svg")?.contains(event.target)) return direct;
    let best = null, least = REACH;
    for (const mark of zone.querySelectorAll(".pf-mark")) {
      const box = mark.getBoundingClientRect(), { clientX: x, clientY: y } = event;
      const far = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (far < least) [best, least] = [mark, far];
    }
    return best;
  };
  const act = (mark) => {
    const meant = mark && meaning(mark, root);
    if (meant) model.send(meant);
    return meant;
  };
  const enter = (mark) => { // one stop of the Tab key in each drawing; arrows move within it
    for (const other of marksOf(zoneOf(mark))) other.tabIndex = other === mark ? 0 : -1;
  };

  const prepare = () => {
    for (const cell of root.querySelectorAll(CELLS)) { // a cell stays a cell, what it holds is a mark
      const mark = document.createElement("span");
      mark.className = "pf-mark";
      mark.append(...cell.childNodes);
      cell.append(mark);
    }
    for (const svg of root.querySelectorAll(".pf-chart > svg")) svg.setAttribute("role", "group");
    for (const mark of root.querySelectorAll(MARKS)) {
      const title = mark.querySelector(":scope > title");
      if (title) { mark.setAttribute("aria-label", title.textContent); title.remove(); }
      const meant = meaning(mark, root), key = mark.closest(".pf-entry");
      if (meant || title) mark.setAttribute("role", meant ? "button" : "img");
      mark.classList.toggle("pf-can", !!meant);
      mark.tabIndex = -1;
      if (!meant?.toggle) continue;
      const isOff = key.classList.contains("pf-off");
      mark.setAttribute("aria-pressed", String(!isOff));
      mark.removeAttribute("aria-hidden");
      mark.setAttribute("aria-label", `${key.dataset.series} in this drawing`);
      mark.title = `${isOff ? "show" : "hide"} ${key.dataset.series} in this drawing`;
    }
    for (const figure of root.querySelectorAll(".pf-chart:has(svg)")) {
      const tools = document.createElement("div");
      tools.className = "pf-save";
      for (const kind of ["svg", "png"]) {
        const button = document.createElement("button");
        Object.assign(button, { type: "button", textContent: kind.toUpperCase(), tabIndex: -1 });
        button.setAttribute("aria-label", `Save ${figure.dataset.name} as ${kind.toUpperCase()}`);
        button.onclick = () => download(figure, kind);
        tools.append(button);
      }
      figure.prepend(tools);
    }
    for (const zone of root.querySelectorAll(".pf-chart, .pf-grid")) {
      const first = zone.querySelector(".pf-can") ?? marksOf(zone)[0];
      if (first) first.tabIndex = 0;
    }
  };
  const draw = () => {
    const held = root.contains(document.activeElement) ? document.activeElement : null;
    const same = held && [held.tagName, held.className, JSON.stringify(meaning(held, root))].join();
    show(null);
    root.innerHTML = model.get("markup");
    prepare();
    const boxes = [...root.querySelectorAll("input, select")];
    const again = same && [...root.querySelectorAll(MARKS), ...boxes].find(
      (mark) => [mark.tagName, mark.getAttribute("class"), JSON.stringify(meaning(mark, root))].join() === same);
    if (again && zoneOf(again) && again.matches(MARKS)) enter(again);
    (again ?? (held?.matches("input") && boxes.find((box) => box.ariaInvalid)))?.focus?.();
  };

  root.addEventListener("pointermove", (event) => {
    const mark = near(event);
    show(mark);
    root.classList.toggle("pf-over", !!mark?.classList.contains("pf-can"));
  });
  root.addEventListener("pointerleave", () => show(null));
  root.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) show(event.target); });
  root.addEventListener("focusout", () => show(null));
  root.addEventListener("click", (event) => act(near(event)));
  root.addEventListener("change", ({ target }) => { // a box, a list or a tick of ours
    const value = target.type === "checkbox" ? String(target.checked) : target.value;
    model.send({ ...meaning(target, root), value });
  });
  root.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select")) { // a notebook may keep Enter from ending a box
      if (event.key === "Enter") event.target.dispatchEvent(new Event("change", { bubbles: true }));
      return;
    }
    const zone = zoneOf(event.target);
    if (event.key === "Escape") return show(null);
    if (ARROWS[event.key] && zone) {
      const next = neighbour(event.target, marksOf(zone), ARROWS[event.key]);
      if (next) { enter(next); next.focus(); }
    } else if ((event.key !== "Enter" && event.key !== " ") || !act(event.target.closest(MARKS))) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook has keys of its own
  });
  const receive = (message, buffers) => {
    if (!message.file || delivered.has(message)) return;
    delivered.add(message);
    save(new Blob([buffers[0]], { type: message.media }), message.file);
  };
  model.on("change:markup", draw);
  model.on("msg:custom", receive);
  draw();
  return () => { model.off("change:markup", draw); model.off("msg:custom", receive); };
}

export default { render };
