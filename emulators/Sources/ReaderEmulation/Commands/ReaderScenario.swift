// SPDX-License-Identifier: Apache-2.0

public import Emulation

/// Orders to an emulated reader at their times.
public typealias ReaderScenario = LineScenario<ReaderOrder>
