// What can only be reached by a pointer in mdBook's pages: regions that scroll, and the button of the table of contents.
(() => {
  "use strict";
  const update = () => {
    for (const region of document.querySelectorAll("main pre, main pre code, main .table-wrapper, main math")) {
      const scrolls = region.scrollWidth > region.clientWidth + 1;
      if (scrolls) region.tabIndex = 0; else region.removeAttribute("tabindex");
    }
  };
  addEventListener("load", update);
  addEventListener("resize", update);

  const toggle = document.getElementById("mdbook-sidebar-toggle");
  if (toggle) {
    toggle.setAttribute("role", "button");
    toggle.tabIndex = 0;
    toggle.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle.click(); }
    });
  }
})();
