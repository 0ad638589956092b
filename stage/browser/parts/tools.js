// The menu of what is a tool and not a subject: covers, comparing, code, copies, pictures, the full
// window. In the full window the toolbar is in it too.

import { Copier, matrixLatex } from "../act/copying.js";
import { actionButton, focusIn } from "../dom/buttons.js";
import { element } from "../dom/elements.js";
import { savePicture } from "../draw/picture.js";
import { write } from "../draw/prose.js";
import { SingleKeys } from "../present/curtain.js";
import { codeOf } from "./code_panel.js";
import { Choices } from "./toolbar.js";

export class Tools {
  constructor(stage) {
    this.stage = stage;
    this.root = element("details", "tools");
    this.root.dataset.testid = "tools";
    this.name = element("summary", "", TEXTS("tools"));
    this.name.setAttribute("aria-label", TEXTS("tools"));
    this.panel = element("div", "panel");
    const groups = element("div", "groups");
    this.choices = new Choices(groups);
    this.acts = element("div", "acts");
    this.offers = []; // what can be done there
    this.said = ""; // and what is said of it
    this.copier = new Copier();
    this.panel.append(groups, this.acts, element("div", "hint", TEXTS("page_keys")), this.copier.said, this.copier.text);
    this.root.append(this.name, this.panel);
    this.listen();
  }

  listen() {
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.root.open) return;
      event.stopPropagation();
      this.shut();
      this.focus();
    });
    // What is chosen there is seen beside it; what is copied or saved is said in it.
    this.root.addEventListener("click", (event) => {
      const button = event.target.closest("button"); // a click by a key has no detail
      if (event.detail && button?.matches('.choice, [data-action="code"], [data-action="leave"]')) this.shut();
    });
    this.root.addEventListener("toggle", () => this.root.open || this.copier.silence());
  }

  shut() {
    this.root.open = false;
  }

  focus() {
    this.name.focus();
  }

  draw(stop) {
    const { run: { roles }, presenting } = this.stage, offers = this.offered(stop), said = JSON.stringify(offers);
    this.choices.draw(this.rows(), roles);
    this.offers = offers;
    if (this.said !== said) this.drawActs();
    this.said = said;
    write(this.name, presenting ? "☰" : TEXTS("tools"), roles);
  }

  drawActs() {
    const had = focusIn(this.acts)?.dataset.action;
    this.acts.replaceChildren(...this.offers.map(([action, text, , [state, holds] = []], number) => {
      const button = actionButton(action, text, () => this.offers[number][2]());
      if (state) button.setAttribute(state, String(holds));
      return button;
    }));
    if (had) this.acts.querySelector(`[data-action="${had}"]`)?.focus();
  }

  // What is covered and compared.
  rows() {
    const { stage } = this, { kept_covered, comparisons } = stage.config;
    const { covers } = stage, cover = (value) => stage.recover(() => covers.turnTo(value));
    const choices = [
      !kept_covered && ["cover", TEXTS("cover"), covers.choices(stage.run, stage.at.cell), covers.cover, cover],
      comparisons.length > 0
        && ["compare", TEXTS("compare"), comparisons, stage.compare, (value) => stage.toggle("compare", value)],
    ];
    return choices.filter(Boolean).map(([key, word, options, chosen, choose]) => ({ key, word, options, chosen, choose }));
  }

  // What can be done at a stop: actions, their texts, what they do, and what an attribute says of their state.
  offered(stop) {
    const { stage } = this, { presenting, toolbar, code } = stage, { allOpen } = toolbar;
    const shut = (act) => () => {
      this.shut();
      act();
    };
    const drawn = (act) => () => {
      act();
      stage.draw();
    };
    return [
      stage.folds && ["controls", TEXTS(allOpen ? "fewer_controls" : "all_controls"), () => toolbar.openAll(!allOpen)],
      !presenting && codeOf(stage.run, stop).length > 0
        && ["code", TEXTS("code"), drawn(() => { code.isOpen = !code.isOpen; }), ["aria-expanded", code.isOpen]],
      presenting ? ["leave", TEXTS("leave"), () => stage.projection.leave()]
        : stage.hasWindow() && ["fill", TEXTS("fill"), shut(() => stage.projection.fill())],
      presenting && stage.config.present && stage.host.left && ["page", TEXTS("page_below"), () => stage.projection.showPage()],
      stage.takesSentence() && ["sentence", TEXTS("other_sentence"), shut(() => stage.sentence.open(stage.answered.sentence))],
      ...["svg", "png"].map((kind) => [kind, TEXTS("picture", { kind: kind.toUpperCase() }), () => savePicture(stage, kind)]),
      ["keys", TEXTS("single_keys"), drawn(() => { SingleKeys.on = !SingleKeys.on; }), ["aria-pressed", SingleKeys.on]],
      ...this.copies(),
    ].filter(Boolean);
  }

  // The numbers of the matrices on show, and the arithmetic of the selected cell, to be copied.
  copies() {
    const { copier, stage: { matrices, arithmetic } } = this, { told } = arithmetic;
    const numbers = matrices.map((matrix) => [
      "latex", matrix.form, () => matrixLatex(matrix.texts()),
    ]);
    const forms = arithmetic.forms().map(([form, text]) => [
      `arithmetic-${form}`, TEXTS("arithmetic_as", { form }), () => text, () => arithmetic.told === told,
    ]);
    return [...numbers, ...forms].map(([action, form, text, stands]) => [
      action, TEXTS("copy", { form }), () => copier.copy(text(), form, stands),
    ]);
  }
}
