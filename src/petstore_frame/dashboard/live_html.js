// Makes figures and tables interactive: tooltips, clicks, edits, arrow keys, file uploads and
// downloads. Python makes and escapes their markup, which is complete without this script. All other
// text is shown as text, and no server is contacted.
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const REACH = 14; // pixels around a small mark that still mean it
const delivered = new WeakSet(); // files already saved by another view of the same model

const zoneOf = (node) => node.closest?.(".pf-chart, .pf-grid");
const marksOf = (zone) => [...zone.querySelectorAll(".pf-mark")];

// What an element stands for: its data attributes, and those of what it lies in.
function meaning(element) {
  const found = {};
  for (let node = element; node && !node.matches(".pf-live"); node = node.parentElement)
    for (const [name, value] of Object.entries(node.dataset)) found[name] ??= value;
  const { name: figure, series, ...meant } = found;
  return Object.keys(meant).length ? { figure, ...meant } : null;
}

// The same element has the same sign after all was drawn anew.
const signOf = (node) => [node.tagName, node.getAttribute("class"), JSON.stringify(meaning(node))].join();

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// A drawing under the name of a PNG is made one, twice as large for sharp screens.
async function receive(message, buffers) {
  if (!message.file || delivered.has(message)) return;
  delivered.add(message);
  const type = /\.(svg|png)$/.test(message.file) ? "image/svg+xml" : "application/octet-stream";
  const blob = new Blob([buffers[0]], { type });
  if (!message.file.endsWith(".png")) return save(blob, message.file);
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = URL.createObjectURL(blob);
  await image.decode();
  [canvas.width, canvas.height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((made) => save(made, message.file));
}

// The nearest mark in the direction of an arrow key; what lies beside the way is far.
function neighbor(from, marks, [dx, dy]) {
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

// What the pointer means: what it is on, or in a drawing the nearest mark within reach.
function meantBy({ target, clientX: x, clientY: y }) {
  const direct = target.closest(".pf-mark, button");
  if (direct || !target.closest("svg")) return direct;
  let best = null, least = REACH;
  for (const mark of marksOf(zoneOf(target))) {
    const box = mark.getBoundingClientRect();
    const far = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
    if (far < least) [best, least] = [mark, far];
  }
  return best;
}

// One stop of the Tab key in each drawing or table; arrows move within it.
function enter(mark) {
  for (const other of marksOf(zoneOf(mark))) other.tabIndex = other === mark ? 0 : -1;
}

function prepare(root) {
  for (const svg of root.querySelectorAll(".pf-chart > svg")) svg.setAttribute("role", "group");
  for (const mark of marksOf(root)) {
    const title = mark.querySelector(":scope > title"), meant = meaning(mark);
    if (title) mark.setAttribute("aria-label", title.textContent);
    title?.remove(); // the tooltip says it at once
    if (meant || title) mark.setAttribute("role", meant ? "button" : "img");
    mark.classList.toggle("pf-can", !!meant);
  }
  for (const zone of root.querySelectorAll(".pf-chart, .pf-grid")) {
    const first = zone.querySelector(".pf-can") ?? marksOf(zone)[0];
    if (first) enter(first);
  }
}

// Moments are shown in the reader's own time zone; the tooltip keeps UTC.
const TIME = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
function localize(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    time.dataset.local = "";
    time.textContent = `${new Date(time.dateTime).toLocaleString(undefined, TIME)} (your time)`;
  }
}

// Each widget has a copy of this script, so the page itself remembers that it is watched.
function watchDashboard(model, dashboard) {
  if (!dashboard || "watched" in dashboard.dataset) return;
  dashboard.dataset.watched = "";
  watchConnection(model, dashboard);
  localize(dashboard);
  new MutationObserver(() => localize(dashboard)).observe(dashboard, { childList: true, subtree: true });
}

// A page of its own says so if its Python process no longer answers. In a notebook the frontend does.
const PING_EVERY_MS = 3_000, LOST_AFTER_MS = 15_000;
const LOST = "This page has lost its Python process. Animals that were already sent are in the store; "
  + "after a reload the Import tab offers what is left.";
function watchConnection(model, dashboard) {
  if (document.body.dataset.voila !== "voila") return;
  let answeredAt = Date.now(), banner = null;
  model.on("msg:custom", (message) => { if (message.pong) answeredAt = Date.now(); });
  const timer = setInterval(() => {
    if (!dashboard.isConnected) return clearInterval(timer);
    try { model.send({ ping: 1 }); } catch { /* the connection is closed, which shows below */ }
    const isLost = Date.now() - answeredAt > LOST_AFTER_MS;
    if (isLost && !banner) dashboard.prepend(banner = lostBanner());
    if (!isLost) { banner?.remove(); banner = null; }
  }, PING_EVERY_MS);
}
function lostBanner() {
  const banner = document.createElement("div"), button = document.createElement("button");
  banner.className = "pf-lost";
  banner.setAttribute("role", "alert");
  banner.textContent = LOST;
  button.textContent = "Reload";
  button.className = "jupyter-button mod-primary";
  button.addEventListener("click", () => location.reload());
  banner.append(button);
  return banner;
}

// Highlights the marks that stand for what is selected.
function highlight(root, selected) {
  for (const mark of root.querySelectorAll(".pf-grid .pf-mark")) {
    const meant = meaning(mark) ?? {};
    const isSelected = selected.some((entry) =>
      Object.entries(entry).every(([name, value]) => meant[name] === value));
    mark.classList.toggle("pf-selected", isSelected);
    if (meant && "status" in meant) mark.setAttribute("aria-pressed", String(isSelected));
  }
}

// Hides the options of a menu that do not contain the text.
function search(box) {
  const text = box.value.trim().toLowerCase();
  for (const option of box.closest(".pf-menu").querySelectorAll("label"))
    option.hidden = !option.textContent.toLowerCase().includes(text);
}

// A file that was dropped or pasted. Too large a one is named and not sent.
async function give(model, file) {
  const content = file.size > model.get("largest") ? [] : [await file.arrayBuffer()];
  model.send({ upload: file.name, size: file.size }, undefined, content);
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
    tip.hidden = !mark?.matches(".pf-mark") || !mark.ariaLabel;
    if (tip.hidden) return;
    tip.textContent = mark.ariaLabel;
    const box = mark.getBoundingClientRect(), frame = el.getBoundingClientRect();
    const left = box.left + box.width / 2 - frame.left - tip.offsetWidth / 2;
    tip.style.left = `${Math.max(0, Math.min(left, frame.width - tip.offsetWidth))}px`;
    // Below its mark, as above it would be the legend.
    const below = box.bottom - frame.top + 6;
    const hasRoom = below + tip.offsetHeight < frame.height;
    tip.style.top = `${hasRoom ? below : box.top - frame.top - tip.offsetHeight - 6}px`;
  };
  const act = (element) => {
    const meant = element && meaning(element);
    if (meant) model.send(meant);
    return meant;
  };
  const draw = () => {
    const focused = root.contains(document.activeElement) && document.activeElement;
    const same = focused && signOf(focused);
    const wasOpen = !!root.querySelector("details.pf-menu[open]");
    const searched = root.querySelector(".pf-search")?.value;
    show(null);
    root.innerHTML = model.get("markup");
    prepare(root);
    highlight(root, model.get("selected"));
    if (wasOpen) root.querySelector("details.pf-menu")?.setAttribute("open", "");
    const box = root.querySelector(".pf-search");
    if (box && searched) { box.value = searched; search(box); }
    if (!same) return;
    const focusable = root.querySelectorAll("[tabindex], button, input, summary");
    const again = [...focusable].find((node) => signOf(node) === same);
    if (again?.matches(".pf-mark") && zoneOf(again)) enter(again);
    again?.focus();
  };

  root.addEventListener("pointermove", (event) => {
    const mark = meantBy(event);
    show(mark);
    root.classList.toggle("pf-over", !!mark?.matches(".pf-can"));
  });
  root.addEventListener("pointerleave", () => show(null));
  root.addEventListener("focusin", ({ target }) => { if (target.matches(":focus-visible")) show(target); });
  root.addEventListener("focusout", () => show(null));
  root.addEventListener("click", (event) => {
    if (!event.target.closest("input, label, summary")) act(meantBy(event));
  });
  root.addEventListener("input", ({ target }) => { if (target.matches(".pf-search")) search(target); });
  // A cell that was edited, or a box that was ticked.
  root.addEventListener("change", ({ target }) => {
    const meant = target.matches("input") && meaning(target);
    if (!meant) return;
    const value = target.type === "checkbox" ? (target.checked ? "on" : "off") : target.value;
    model.send({ ...meant, value });
  });
  const closeMenu = ({ target }) => {
    if (!root.contains(target)) root.querySelector("details.pf-menu[open]")?.removeAttribute("open");
  };
  document.addEventListener("pointerdown", closeMenu);
  root.addEventListener("keydown", (event) => {
    const { target, key } = event, zone = zoneOf(target), isMark = target.matches(".pf-mark");
    const next = isMark && zone && ARROWS[key] && neighbor(target, marksOf(zone), ARROWS[key]);
    if (next) { enter(next); next.focus(); }
    else if (key === "Escape") return show(null);
    else if (key === "Enter" && target.matches(".pf-edit")) target.blur(); // which reports the edit
    else if (!isMark || (key !== "Enter" && key !== " ") || !act(target)) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook has keys of its own
  });
  root.addEventListener("paste", (event) => {
    const { target, clipboardData: { files, types } } = event;
    if (!target.matches(".pf-drop")) return;
    event.preventDefault();
    const name = `pasted ${new Date().toTimeString().slice(0, 8).replaceAll(":", ".")}.tsv`;
    const isText = types.includes("text/plain");
    if (isText) give(model, new File([event.clipboardData.getData("text/plain")], name));
    else if (files.length) give(model, files[0]);
  });
  // A file is dropped anywhere on the tab that has a place for it; else a browser would open it.
  const drag = (event) => {
    const place = root.querySelector(".pf-drop"), tab = el.closest(".pf-tab");
    if (!place || !tab?.contains(event.target) || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    place.classList.toggle("pf-over", event.type === "dragover");
    if (event.type === "drop") give(model, event.dataTransfer.files[0]);
  };
  for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, drag, true);
  const mark = () => highlight(root, model.get("selected"));
  model.on("change:markup", draw);
  model.on("change:selected", mark);
  model.on("msg:custom", receive);
  draw();
  setTimeout(() => watchDashboard(model, el.closest(".pf-dash")), 100); // once it is part of the page
  return () => {
    document.removeEventListener("pointerdown", closeMenu);
    model.off("change:selected", mark);
    for (const kind of ["dragover", "dragleave", "drop"]) document.removeEventListener(kind, drag, true);
    model.off("change:markup", draw);
    model.off("msg:custom", receive);
  };
}

export default { render };
