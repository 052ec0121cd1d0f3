"""Grid Engine's own commands, as thin fronts over the controller, for those who know them."""
