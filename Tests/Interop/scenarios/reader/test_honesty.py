# SPDX-License-Identifier: Apache-2.0
"""`script/attack --honesty`, shortly: half an hour of it is for who has one."""

import pytest

from rig.honesty import SHORT_PACES, honest

SECONDS = 60
SEED = 5

pytestmark = pytest.mark.alone


@pytest.mark.thorough(
    "test_faults.py, test_controller_state.py, test_panel.py, test_fleet.py and test_stopped.py have the troubles"
)
@pytest.mark.seconds(240)
async def test_a_minute_of_troubles_in_all_parts():
    outcome = await honest(SECONDS, SEED, SHORT_PACES, print)
    print(outcome.table())
    assert outcome.failures == []
    parts = {name.partition(":")[0] for name in outcome.tried}
    assert parts == {"controller", "panel", "broker", "disk", "process"}
    assert outcome.healed, "nothing is healed"
    assert outcome.counts["entrances"] > 0 and outcome.counts["openings"] > 0
