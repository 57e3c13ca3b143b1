// Placeholder that a candidate's file replaces. The engine contains no code for user problems, which are data.
