/** Which models are used. Formulas and references are in kernels/physics. */
import { z } from 'zod';
import { fileBeside } from '../file-beside.ts';

const tableFile = fileBeside({
  title: 'Table',
  description: "A CSV file with the columns T_MeV,S (MeV cm²/g) in place of water's table.",
  example: 'tables/mine.csv',
});

const stoppingPowerNames = ['icru49', 'icru90'] as const;

export const physicsSchema = z.strictObject({
  stopping_power: z
    .union([z.enum(stoppingPowerNames), z.strictObject({ file: tableFile })])
    .meta({
      title: 'Stopping power of water',
      description: 'icru49: NIST PSTAR, I = 75 eV. icru90: I = 78 eV, range 0.5 % longer. Or a table of your own.',
    })
    .default('icru49'),
  scattering: z
    .enum(['gottschalk', 'fermi-rossi', 'highland', 'off'])
    .meta({
      title: 'Scattering',
      description:
        'Model of the scattering power: gottschalk is differential Molière; highland depends on the thickness so far.',
    })
    .default('gottschalk'),
  straggling: z
    .enum(['bohr', 'off'])
    .meta({ title: 'Straggling', description: 'Spread of the energy loss.' })
    .default('bohr'),
  nuclear: z
    .enum(['off', 'attenuation', 'icru63'])
    .meta({
      title: 'Nuclear reactions',
      description:
        'icru63 follows what comes out of reactions, by tabulated spectra. attenuation removes 1.2 % of the protons per g/cm² and deposits 60 % of their energy on the spot, a share that builds up over the first 2 cm.',
    })
    .default('icru63'),
});
