# SPDX-License-Identifier: Apache-2.0
"""`readerd run --btsnoop`."""

from access.advertising import ACCESS
from rig.capture import check_capture
from rig.phone import Phone
from rig.processes import Child
from rig.radio_process import RadioProcess
from rig.reader import binary


async def test_capture_has_all_traffic_and_is_private(directory):
    radio = await RadioProcess.start(directory)
    try:
        capture = directory / "reader.btsnoop"
        configuration = directory / "readerd.toml"
        configuration.write_text("")
        reader = await Child.start(
            "readerd",
            [
                *(str(binary()), "run", "--hci", f"tcp-client:{await radio.listen_tcp('reader')}"),
                *("--state", str(directory / "state"), "--config", str(configuration), "--btsnoop", str(capture)),
            ],
        )
        phone = await Phone.open("phone", "unix:" + await radio.listen_unix("phone"))
        link = await phone.connect((await phone.find(ACCESS)).address)
        await link.prepare(ACCESS.service)
        await phone.close()
        assert await reader.stop() == 0, reader.tail()
        check_capture(capture)
    finally:
        await radio.stop()
