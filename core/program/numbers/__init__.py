"""How numbers are written: rounding, the texts of cells, arithmetic on paper, literals."""
