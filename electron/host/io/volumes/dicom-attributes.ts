/**
 * Rules for DICOM attributes: allowed values, attributes that are ignored, and attributes that change the meaning of
 * Hounsfield units.
 */
import type { DataSet } from 'dicom-parser';
import {
  absent,
  allowOnly,
  type FieldRule,
  forbiddenField,
  foreignFileError,
  honoured,
  ignoredField,
  mayBeAbsent,
  oneOf,
} from '../../../domain/header-fields.ts';
import { parseDecimal } from '../../../domain/values/csv.ts';

export interface Attribute {
  readonly tag: string;
  readonly rule: FieldRule;
  /** True if the value is a 16-bit number; otherwise it is text. */
  readonly short?: true;
}

/** Rules for attributes that affect only the display, or that repeat information of other attributes. */
const display = ignoredField('affects only how values are displayed');
const repeatedAttribute = ignoredField('positions are read from ImagePositionPatient and ImageOrientationPatient');

const absentFrameGroups = forbiddenField('one file per slice, not Enhanced CT');
const colours = ignoredField('colours the image when it is displayed');

/** Attributes of CT and dose images that can change the meaning of the pixels, by keyword. */
export const imageAttributes = {
  Modality: { tag: 'x00080060', rule: honoured },
  ImagePositionPatient: { tag: 'x00200032', rule: honoured },
  ImageOrientationPatient: { tag: 'x00200037', rule: honoured },
  SamplesPerPixel: { tag: 'x00280002', rule: oneOf('1'), short: true },
  PhotometricInterpretation: { tag: 'x00280004', rule: oneOf('MONOCHROME1', 'MONOCHROME2') },
  PlanarConfiguration: { tag: 'x00280006', rule: ignoredField('an image of one sample has one plane'), short: true },
  NumberOfFrames: { tag: 'x00280008', rule: honoured },
  Rows: { tag: 'x00280010', rule: honoured, short: true },
  Columns: { tag: 'x00280011', rule: honoured, short: true },
  PixelSpacing: { tag: 'x00280030', rule: honoured },
  PixelAspectRatio: { tag: 'x00280034', rule: ignoredField('both steps are read from PixelSpacing') },
  BitsAllocated: { tag: 'x00280100', rule: honoured, short: true },
  BitsStored: { tag: 'x00280101', rule: honoured, short: true },
  HighBit: { tag: 'x00280102', rule: honoured, short: true },
  PixelRepresentation: { tag: 'x00280103', rule: oneOf('0', '1'), short: true },
  ModalityLUTSequence: { tag: 'x00283000', rule: absent },
  RealWorldValueMappingSequence: { tag: 'x00409096', rule: absent },
  FloatPixelData: { tag: 'x7fe00008', rule: absent },
  DoubleFloatPixelData: { tag: 'x7fe00009', rule: absent },
  PixelDataProviderURL: { tag: 'x00287fe0', rule: absent },
  WindowCenter: { tag: 'x00281050', rule: display },
  WindowWidth: { tag: 'x00281051', rule: display },
  VOILUTSequence: { tag: 'x00283010', rule: display },
  PatientPosition: { tag: 'x00185100', rule: repeatedAttribute },
  GantryDetectorTilt: { tag: 'x00181120', rule: repeatedAttribute },
  SliceLocation: { tag: 'x00201041', rule: repeatedAttribute },
  AnatomicalOrientationType: { tag: 'x00102210', rule: oneOf('BIPED') },
  PatientOrientation: { tag: 'x00200020', rule: repeatedAttribute },
  SpacingBetweenSlices: { tag: 'x00180088', rule: repeatedAttribute },
  AcquisitionNumber: { tag: 'x00200012', rule: ignoredField('a dose is one grid') },
  TemporalPositionIdentifier: { tag: 'x00200100', rule: ignoredField('a dose is one grid') },
  PixelSpacingCalibrationType: {
    tag: 'x00280a02',
    rule: ignoredField('describes PixelSpacing of projection images only'),
  },
  SmallestImagePixelValue: { tag: 'x00280106', rule: ignoredField('repeats the smallest stored value'), short: true },
  LargestImagePixelValue: { tag: 'x00280107', rule: ignoredField('repeats the largest stored value'), short: true },
  LossyImageCompressionRatio: {
    tag: 'x00282112',
    rule: ignoredField('LossyImageCompression already reports the loss'),
  },
  SharedFunctionalGroupsSequence: { tag: 'x52009229', rule: absentFrameGroups },
  PerFrameFunctionalGroupsSequence: { tag: 'x52009230', rule: absentFrameGroups },
  MaskSubtractionSequence: { tag: 'x00286100', rule: absent },
  QuantityDefinitionSequence: { tag: 'x00409220', rule: absent },
  PixelIntensityRelationship: { tag: 'x00281040', rule: oneOf('LIN') },
  PixelPresentation: { tag: 'x00089205', rule: oneOf('MONOCHROME') },
  RedPaletteColorLookupTableDescriptor: { tag: 'x00281101', rule: colours },
  SegmentedRedPaletteColorLookupTableData: { tag: 'x00281221', rule: colours },
  ICCProfile: { tag: 'x00282000', rule: colours },
  OverlayData: { tag: 'x60003000', rule: display },
  PresentationLUTShape: { tag: 'x20500020', rule: display },
  ExtendedOffsetTable: {
    tag: 'x7fe00001',
    rule: ignoredField('frames are located by the basic offset table or by their fragments'),
  },
  SliceThickness: {
    tag: 'x00180050',
    rule: ignoredField('slices may overlap; the spacing is computed from their positions'),
  },
} as const satisfies Readonly<Record<string, Attribute>>;

export const ctAttributes = {
  ...imageAttributes,
  SeriesInstanceUID: { tag: 'x0020000e', rule: honoured },
  SOPClassUID: {
    tag: 'x00080016',
    rule: allowOnly('1.2.840.10008.5.1.4.1.1.2, CT Image', (uid) => uid === '1.2.840.10008.5.1.4.1.1.2'),
  },
  FrameOfReferenceUID: { tag: 'x00200052', rule: honoured },
  ImageType: { tag: 'x00080008', rule: honoured },
  SeriesDescription: { tag: 'x0008103e', rule: honoured },
  DerivationDescription: { tag: 'x00082111', rule: honoured },
  ImageComments: { tag: 'x00204000', rule: honoured },
  MultienergyCTAcquisition: { tag: 'x00189361', rule: honoured },
  MultienergyCTCharacteristicsSequence: { tag: 'x00189364', rule: honoured },
  ContrastBolusAgent: { tag: 'x00180010', rule: honoured },
  BurnedInAnnotation: { tag: 'x00280301', rule: honoured },
  LossyImageCompression: { tag: 'x00282110', rule: honoured },
  VolumetricProperties: { tag: 'x00089206', rule: oneOf('VOLUME', 'SAMPLED') },
  VolumeBasedCalculationTechnique: { tag: 'x00089207', rule: oneOf('NONE', 'MPR') },
  KVP: { tag: 'x00180060', rule: honoured },
  ConvolutionKernel: { tag: 'x00181210', rule: honoured },
  GantryDetectorTilt: { tag: 'x00181120', rule: honoured },
  AcquisitionNumber: { tag: 'x00200012', rule: honoured },
  TemporalPositionIdentifier: { tag: 'x00200100', rule: honoured },
  CTAdditionalXRaySourceSequence: {
    tag: 'x00189360',
    rule: ignoredField('MultienergyCTAcquisition reports whether the sources differ in energy'),
  },
  PixelPaddingValue: { tag: 'x00280120', rule: honoured, short: true },
  PixelPaddingRangeLimit: { tag: 'x00280121', rule: honoured, short: true },
  RescaleIntercept: { tag: 'x00281052', rule: honoured },
  RescaleSlope: { tag: 'x00281053', rule: honoured },
  RescaleType: { tag: 'x00281054', rule: oneOf('HU') },
} as const satisfies Readonly<Record<string, Attribute>>;

export const doseAttributes = {
  ...imageAttributes,
  SOPClassUID: {
    tag: 'x00080016',
    rule: allowOnly('1.2.840.10008.5.1.4.1.1.481.2, RT Dose', (uid) => uid === '1.2.840.10008.5.1.4.1.1.481.2'),
  },
  LossyImageCompression: { tag: 'x00282110', rule: oneOf('00') },
  RescaleIntercept: { tag: 'x00281052', rule: allowOnly('0 or absent', (value) => parseDecimal(value) === 0) },
  RescaleSlope: { tag: 'x00281053', rule: allowOnly('1 or absent', (value) => parseDecimal(value) === 1) },
  DoseUnits: { tag: 'x30040002', rule: oneOf('GY', 'RELATIVE') },
  DoseType: { tag: 'x30040004', rule: oneOf('PHYSICAL', 'EFFECTIVE') },
  DoseSummationType: { tag: 'x3004000a', rule: honoured },
  DoseComment: { tag: 'x30040006', rule: ignoredField('describes the dose in words') },
  SpatialTransformOfDose: { tag: 'x30040005', rule: ignoredField('the grid positions already include any transform') },
  NormalizationPoint: { tag: 'x30040008', rule: ignoredField('relative doses are scaled to their largest value') },
  FrameIncrementPointer: { tag: 'x00280009', rule: honoured },
  GridFrameOffsetVector: { tag: 'x3004000c', rule: honoured },
  DoseGridScaling: { tag: 'x3004000e', rule: honoured },
  TissueHeterogeneityCorrection: { tag: 'x30040014', rule: honoured },
} as const satisfies Readonly<Record<string, Attribute>>;

type Attributes = Readonly<Record<string, Attribute>>;

function textOf(data: DataSet, { tag, short }: Attribute): string | undefined {
  if (data.elements[tag] === undefined) return undefined;
  return short === true ? String(data.uint16(tag)) : (data.string(tag) ?? '');
}

/** Throws if an attribute that affects the data has an unsupported value. */
export function checkAttributes(file: string, data: DataSet, attributes: Attributes): void {
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = textOf(data, attribute);
    if (value === undefined || attribute.rule.kind !== 'only') continue;
    // An empty attribute counts as absent; it is checked only if the attribute must not be absent.
    if (value.trim() === '' && !mayBeAbsent(attribute.rule)) continue;
    if (!attribute.rule.accepts(value.trim())) {
      // Sequences and pixel data have no text that a message could quote.
      const is = value === '' || /Sequence$|PixelData$/.test(name) ? 'present' : value;
      throw foreignFileError(file, `${name} is ${is}; allowed: ${attribute.rule.allowed}`);
    }
  }
}

/**
 * Values of ImageType for images that are not in Hounsfield units: part 3, C.8.15.2 and C.8.16, and values of vendors.
 */
const NO_HU =
  /^(MAT_SPECIFIC|MAT_FRACTIONAL|MAT_VALUE_BASED|EFF_ATOMIC_NUM|ELECTRON_DENSITY|STD_DEVIATION|SUBTRACTION|MULTIPLICATION|DIVISION|QUANTITY|PERFUSION|PARAMETRIC.*|.*IODINE.*|Z_?EFF.*|RHO_?Z?|FAT_?FRACTION)$/;
/** Values of ImageType for images whose Hounsfield units are not from a single scan with a single spectrum. */
const OTHER_HU: readonly (readonly [RegExp, string])[] = [
  [/^(VMI|MONO.*)$/, 'a virtual image at one X-ray energy'],
  [/^(MAT_REMOVED|VNC|VUE)$/, 'an image from which a material was removed by computation'],
  [/^MAT_MODIFIED$/, 'an image in which a material is replaced'],
  [/^ENERGY_PROP_WT$/, 'a mixture of two X-ray spectra'],
  [/^(MAXIMUM|MIP|MAX_IP)$/, 'a projection of the largest values'],
  [/^(MINIMUM|MINIP|MIN_IP)$/, 'a projection of the smallest values'],
  [/^(MEAN|MEDIAN|AVERAGE|ADDITION)$/, 'a mean of several images'],
];
/** Words in free-text attributes of spectral images, for files in which ImageType does not identify them. */
const SPECTRAL_TEXT =
  /\bmono(?!chrom)|\d\s*keV\b|\biodine|\bvnc\b|virtual (non|un)|\bz[ _-]?eff|effective (z|atomic)|electron dens|\brho\b|dual[ _-]?energy|spectral|\bmin?ip\b|perfusion|subtract/i;

/** Smallest gantry tilt that counts; smaller ones are within the rounding of orientations. */
const MIN_TILT_DEG = 0.1;

/** Number in the first item of a sequence; undefined if the sequence is missing. */
const numberInSequence = (data: DataSet, sequence: string, tag: string): number | undefined =>
  data.elements[sequence]?.items?.[0]?.dataSet?.double(tag);

/** Notes on a CT for which Hounsfield units have another meaning. Throws for images without Hounsfield units. */
export function notesOfCt(file: string, data: DataSet): readonly string[] {
  const a = ctAttributes;
  const text = ({ tag }: Attribute): string => data.string(tag)?.trim() ?? '';
  const imageType = text(a.ImageType);
  const words = imageType.split('\\').map((word) => word.trim().toUpperCase());
  const none = words.find((word) => NO_HU.test(word));
  if (none !== undefined)
    throw foreignFileError(file, `ImageType is ${imageType}; allowed: images in HU other than ${none}`);
  const spectral: string[] = [];
  const keV = numberInSequence(data, a.MultienergyCTCharacteristicsSequence.tag, 'x0018937c');
  const kinds = OTHER_HU.filter(([form]) => words.some((word) => form.test(word))).map(([, kind]) => kind);
  if (keV !== undefined) spectral.push(`MonoenergeticEnergyEquivalent is ${keV} keV`);
  if (kinds.length > 0) spectral.push(`ImageType is ${imageType}, ${kinds.join(', ')}`);
  if (/^yes$/i.test(text(a.MultienergyCTAcquisition)))
    spectral.push('MultienergyCTAcquisition is YES: several X-ray spectra');
  for (const name of ['SeriesDescription', 'DerivationDescription', 'ImageComments'] as const) {
    if (SPECTRAL_TEXT.test(text(a[name]))) spectral.push(`${name} is "${text(a[name]).slice(0, 80)}"`);
  }
  if (spectral.length === 0 && words[0] === 'DERIVED')
    spectral.push(`ImageType is ${imageType}: computed from other images`);
  const notes = spectral.map((fact) => `${fact}. The HU table must be valid for such images`);
  const agent = text(a.ContrastBolusAgent);
  if (agent !== '' && !/^(no|none|nil|n\/?a|without.*)$/i.test(agent)) {
    notes.push(`ContrastBolusAgent is ${agent}: HU of contrast agent are treated like those of tissue and bone`);
  }
  if (text(a.LossyImageCompression) === '01')
    notes.push('LossyImageCompression is 01: values were changed by compression');
  // Oblique slices were already rejected, so a tilt here contradicts the stated orientation.
  const tilt = text(a.GantryDetectorTilt);
  if (Math.abs(parseDecimal(tilt)) > MIN_TILT_DEG) {
    notes.push(
      `GantryDetectorTilt is ${tilt}°, but ImageOrientationPatient shows no tilt: slices are read without a tilt`,
    );
  }
  if (/^yes$/i.test(text(a.BurnedInAnnotation))) notes.push('BurnedInAnnotation is YES: pixels may contain text');
  return notes;
}
