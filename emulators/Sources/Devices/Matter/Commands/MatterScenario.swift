// SPDX-License-Identifier: Apache-2.0

public import Emulation

/// Commands of an emulated Matter device at their times.
public typealias MatterScenario = LineScenario<MatterCommand>
