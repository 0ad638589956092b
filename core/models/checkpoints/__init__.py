"""Checkpoints of GPT-2-, Llama- and BERT-like models: read, checked, and never executed."""
