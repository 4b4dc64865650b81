// SPDX-License-Identifier: Apache-2.0

import {Device} from "./device.js";

/// A running reader, which is only observed.
export class Reader extends Device {}
