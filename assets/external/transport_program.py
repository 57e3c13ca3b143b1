"""Proton transport as a Program: tables, a solver's steps, and the dose with its ledger."""

import numpy as np

from protocol import Program
from transport_tables import build_tables


def march(solver, problem, steps_max, look_every):
    """Steps until too few protons are in flight. Returns the steps taken, and protons and MeV in flight."""
    least = problem["solver"]["stop_weight"] * solver.tables.number_in
    steps, flight = 0, solver.tables.number_in
    while steps < steps_max and flight > least:
        for _ in range(min(look_every, steps_max - steps)):
            solver.step()
            steps += 1
        if least > 0.0 or steps >= steps_max:
            flight = solver.protons()
    return steps


def ledger(tables, losses, dose, flight, energy_flight):
    """Relative errors of the sums over all faces: nothing may be lost that is not counted."""
    out = {name: (float(n), float(e)) for name, (n, e) in losses.items()}
    number = flight + tables.missed + sum(n for n, _ in out.values())
    energy = energy_flight + tables.missed_energy + dose
    energy += sum(e for name, (_, e) in out.items() if name != "stopped")
    return {
        "number_error": abs(number - tables.number_in) / tables.number_in,
        "energy_error": abs(energy - tables.energy_in) / tables.energy_in,
    }


class TransportProgram(Program):
    """`solver(tables, dtype)` makes the start state; `to_host` brings an array of it home."""

    def __init__(self, request, solver, to_host=np.asarray, look_every=1):
        super().__init__(request)
        self.precision = request["problem"]["solver"]["precision"]
        self.make_solver, self.to_host, self.look_every = solver, to_host, look_every
        self.solver = None

    def prepare(self):
        dtype = np.float32 if self.precision == "fp32" else np.float64
        with self.part("tables"):
            self.tables = build_tables(self.request["problem"])
        with self.part("start state"):
            self.solver = self.make_solver(self.tables, dtype)
            self.clock.start()
            self.clock.stop()

    def repeat(self, count):
        if count != 1:
            raise ValueError("a run starts from a state that it uses up")
        self.steps = march(self.solver, self.request["problem"], self.request["steps_max"], self.look_every)

    def answer(self):
        dose = np.array(self.to_host(self.solver.dose), dtype=np.float64)
        dose[self.tables.entry_row] += self.tables.entry_dose
        return {"dose": dose}

    def facts(self):
        flight, energy_flight = self.solver.in_flight()
        losses = {name: (float(n), float(e)) for name, (n, e) in self.solver.losses.items()}
        dose = float(self.answer()["dose"].sum())
        steps = self.solver.taken(self.steps)
        return {
            "steps": steps,
            "cell_steps": float(np.prod(self.tables.shape, dtype=float)) * steps,
            "ledger": ledger(self.tables, losses, dose, flight, energy_flight),
        }

    def close(self):
        self.solver = None
