"""A transformer in numpy: GPT-2-, Llama- and BERT-like models, and any head of them as a trace."""
