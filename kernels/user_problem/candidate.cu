// Replaced by a candidate. The engine itself has none: a problem is data.
