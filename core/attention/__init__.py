"""The mechanism: its program and words, masks, tokens, inputs, setups and worked examples."""
