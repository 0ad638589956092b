// The menu of what is a tool and not a subject: covers, comparing, code, copies, pictures, the full
// window. In the full window the toggles are in it too. These are methods of the stage; stage.js
// takes them over.

import { matrixLatex } from "../act/copying.js";
import { element } from "../dom/elements.js";
import { savePicture } from "../draw/picture.js";
import { write } from "../draw/prose.js";
import { SingleKeys } from "../present/curtain.js";
import { codeOf } from "./code_panel.js";

export const Tooling = {
  makeTools() {
    this.tools = element("details", "tools");
    this.tools.dataset.testid = "tools";
    const panel = element("div", "panel");
    panel.append(
      element("div", "groups"), element("div", "acts"), element("div", "hint", TEXTS("page_keys")),
      this.copier.said, this.copier.text,
    );
    this.tools.append(element("summary", "", TEXTS("tools")), panel);
    this.tools.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.tools.open) return;
      event.stopPropagation();
      this.shutTools();
      this.tools.firstChild.focus();
    });
    // What is chosen there is seen beside it; what is copied or saved is said in it.
    this.tools.addEventListener("click", (event) => {
      const button = event.target.closest("button"); // a click by a key has no detail
      if (event.detail && button?.matches('.choice, [data-action="code"], [data-action="leave"]')) this.shutTools();
    });
    this.tools.addEventListener("toggle", () => this.tools.open || this.copier.silence());
    this.steps.append(this.tools);
  },

  shutTools() {
    this.tools.open = false;
  },

  drawTools(stop) {
    const [groups, acts] = this.tools.querySelectorAll(":scope > .panel > :is(.groups, .acts)");
    this.drawChoices(groups, "tools", [...(this.config.kept_covered ? [] : [this.covers()]), ...this.comparisons()]);
    const coded = codeOf(this.run, stop).length > 0, large = this.shown.filter(({ part }) => part === "focus");
    const forms = this.arithmetic.forms().map(([form]) => form);
    this.anew("acts", [SingleKeys.on, this.hasWindow(), large.map(({ form }) => form), forms, coded, this.code.isOpen, !!this.presenting, this.takesSentence(), this.folds(), this.allOpen()], () => {
      const had = acts.contains(this.active()) && this.active().dataset.action;
      acts.replaceChildren(...this.acting(coded), ...large.map(({ form }) => this.latexOf(form)), ...forms.map((form) => this.arithmeticAs(form)));
      if (had) acts.querySelector(`[data-action="${had}"]`)?.focus();
    });
    write(this.tools.firstChild, this.presenting ? "☰" : TEXTS("tools"), this.run.roles);
    this.tools.firstChild.setAttribute("aria-label", TEXTS("tools"));
  },

  covers() {
    const choose = (value) => {
      this.coverWith(value);
      this.draw();
      this.report();
    };
    return { key: "cover", word: TEXTS("cover"), options: this.coverChoices(), chosen: this.cover, choose };
  },

  comparisons() {
    const { comparisons } = this.config, choose = (value) => this.toggle("compare", value);
    if (!comparisons.length) return [];
    return [{ key: "compare", word: TEXTS("compare"), options: comparisons, chosen: this.compare, choose }];
  },

  acting(coded) {
    const code = this.button("code", TEXTS("code"), () => {
      this.code.isOpen = !this.code.isOpen;
      this.draw();
    });
    code.setAttribute("aria-expanded", String(this.code.isOpen));
    const pictures = ["svg", "png"].map((kind) => (
      this.button(kind, TEXTS("picture", { kind: kind.toUpperCase() }), () => savePicture(this, kind))
    ));
    const window = this.presenting ? this.button("leave", TEXTS("leave"), () => this.leave())
      : this.button("fill", TEXTS("fill"), () => {
        this.shutTools();
        this.fill();
      });
    const controls = this.folds()
      ? [this.button("controls", TEXTS(this.allOpen() ? "fewer_controls" : "all_controls"), () => this.openAll(!this.allOpen()))] : [];
    const page = this.presenting && this.config.present && this.host.left
      ? [this.button("page", TEXTS("page_below"), () => this.showPage())] : [];
    const sentence = this.takesSentence() ? [this.button("sentence", TEXTS("other_sentence"), () => {
      this.shutTools();
      this.sentence.open(this.answered.sentence);
    })] : [];
    const keys = this.button("keys", TEXTS("single_keys"), () => {
      SingleKeys.on = !SingleKeys.on;
      this.draw();
    });
    keys.setAttribute("aria-pressed", String(SingleKeys.on));
    const full = this.presenting || this.hasWindow() ? [window] : [];
    return [...controls, ...(coded && !this.presenting ? [code] : []), ...full, ...page, ...sentence, ...pictures, keys];
  },

  // A button that copies the numbers of a matrix on show.
  latexOf(form) {
    return this.button("latex", TEXTS("copy", { form }), () => {
      const matrix = this.shown.find((shown) => shown.part === "focus" && shown.form === form);
      this.copier.copy(matrixLatex(matrix.texts()), form);
    });
  },

  // A button that copies the arithmetic of the selected cell.
  arithmeticAs(form) {
    const as = TEXTS("arithmetic_as", { form });
    return this.button(`arithmetic-${form}`, TEXTS("copy", { form: as }), () => {
      const { told } = this.arithmetic, [, text] = this.arithmetic.forms().find(([one]) => one === form);
      this.copier.copy(text, as, () => this.arithmetic.told === told);
    });
  },
};
