"""Real models as runs on the stage: heads of published models, captured on chosen prompts."""
