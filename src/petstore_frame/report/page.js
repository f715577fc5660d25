// Adds search, sorting and paging to the list of pets. Without this script, the full list is shown.
// A browser that runs scripts keeps the content of <noscript> as text, so that even a hundred
// thousand rows cost nothing until they are shown. All texts are escaped, so every "<" starts a tag.
(() => {
  const PAGE = 50;
  const all = document.getElementById("all");
  if (!all) return;
  const find = (id) => document.getElementById(id);
  const [live, search, place, previous, next] =
    ["live", "search", "place", "previous", "next"].map(find);
  const rows = all.textContent.split("<tr>").slice(1)
    .filter((row) => row.startsWith('<th scope="row">'))
    .map((row) => row.split("</tbody>", 1)[0]);
  const heads = [...live.querySelectorAll("thead th")];
  const body = live.querySelector("tbody");
  const signs = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'"};
  const plain = (markup) =>
    markup.replace(/<[^>]*>/g, "").replace(/&[a-z0-9#]+;/g, (sign) => signs[sign] || sign).trim();
  const cells = (row) => row.split(/<t[hd][^>]*>/).slice(1).map(plain);
  let texts = null;
  let held = rows.map((_, at) => at);
  let first = 0;

  const number = (text) =>
    text === "" ? null : /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
  const collator = new Intl.Collator(undefined, {numeric: true, sensitivity: "base"});
  const compare = (one, other) =>
    one === other ? 0 : one === null ? 1 : other === null ? -1 :
    typeof one === "string" ? collator.compare(one, other) : one < other ? -1 : one > other ? 1 : 0;

  function show() {
    body.innerHTML = held.slice(first, first + PAGE).map((at) => "<tr>" + rows[at]).join("");
    const last = Math.min(first + PAGE, held.length);
    const of = search.value ? `${held.length.toLocaleString("en")} found` : place.dataset.total;
    place.textContent = held.length
      ? `${(first + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${of}`
      : "No pet has this text.";
    previous.disabled = first === 0;
    next.disabled = last >= held.length;
  }

  function choose() {
    texts ||= rows.map((row) => cells(row).join("\t").toLowerCase());
    const wanted = search.value.trim().toLowerCase();
    held = [];
    for (let at = 0; at < rows.length; at++) if (texts[at].includes(wanted)) held.push(at);
    const sorted = heads.findIndex((head) => head.hasAttribute("aria-sort"));
    if (sorted >= 0) order(sorted);
    first = 0;
    show();
  }

  function order(column) {
    const isNumber = "number" in heads[column].dataset;
    const keys = new Map(held.map((at) => {
      const text = cells(rows[at])[column];
      return [at, isNumber ? number(text) : text];
    }));
    const way = heads[column].getAttribute("aria-sort") === "descending" ? -1 : 1;
    held.sort((one, other) => way * compare(keys.get(one), keys.get(other)) || one - other);
  }

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const way = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way);
    order(column);
    first = 0;
    show();
  }));
  search.addEventListener("input", choose);
  previous.addEventListener("click", () => { first -= PAGE; show(); });
  next.addEventListener("click", () => { first += PAGE; show(); });
  live.hidden = false;
  show();
})();
