"""A review by another agent: what it is shown (`showing`), and what of its answer is an approval (`approval`). Pure."""
